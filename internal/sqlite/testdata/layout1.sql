-- A file of the first release with this store. It never changes.
CREATE TABLE items (
	id      INTEGER PRIMARY KEY, -- grows with every write, so it orders items by age
	kind    TEXT NOT NULL,
	owner   TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    TEXT NOT NULL, -- JSON
	expires INTEGER,       -- nanoseconds since 1970; NULL: never
	UNIQUE (kind, owner, name)
) STRICT;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;
PRAGMA application_id = 1650683248;
PRAGMA user_version = 1;
INSERT INTO items VALUES (1, 'client', '', '2ceb4df5993cba2bf0489db9b4b8ac3539800c031804273ff5487792880a3a08', '{"id":"c_1","name":"Plumcot","redirect_uris":["http://127.0.0.1/done"],"auth_method":"none","secret_hash":"aa","created_at":"2026-11-20T12:00:00.0000005Z","expires_at":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (2, 'login state', '', 'bb', '{"Key":"bb","Binding":"cc","Body":"AQID","ExpiresAt":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (3, 'code', '', 'dd', '{"Hash":"dd","Family":"0123456789abcdef","Subject":"37s:1","Person":"Ines Albrecht","Account":4,"AccountName":"Fernhill Bikes","Client":{"id":"c_1","name":"Plumcot","redirect_uris":["http://127.0.0.1/done"],"auth_method":"none","secret_hash":"aa","created_at":"2026-11-20T12:00:00.0000005Z","expires_at":"2026-11-20T13:00:00.0000005Z"},"RedirectURI":"http://127.0.0.1:5050/done","Challenge":"ee","Resource":"http://127.0.0.1/mcp","Scopes":["read","write"],"ExpiresAt":"2026-11-20T13:00:00.0000005Z","UsedAt":"2026-11-20T12:00:00.0000005Z"}', 1795266000000000500);
INSERT INTO items VALUES (4, 'family', '', '0123456789abcdef', '{"ID":"0123456789abcdef","Subject":"37s:1","Person":"Ines Albrecht","Account":4,"AccountName":"Fernhill Bikes","Client":{"id":"c_1","name":"Plumcot","redirect_uris":["http://127.0.0.1/done"],"auth_method":"none","secret_hash":"aa","created_at":"2026-11-20T12:00:00.0000005Z","expires_at":"2026-11-20T13:00:00.0000005Z"},"Scopes":["read","write"],"Resource":"http://127.0.0.1/mcp","Key":"BAU=","Generation":2,"Unconfirmed":2,"CreatedAt":"2026-11-20T12:00:00.0000005Z","RefreshedAt":"2026-11-20T12:00:00.0000005Z","ExpiresAt":"2026-11-20T13:00:00.0000005Z","EndsAt":"2026-11-20T13:00:00.0000005Z","RevokedAt":"0001-01-01T00:00:00Z","RevokedFor":"","Checklist":""}', 1795179600000000500);
INSERT INTO items VALUES (5, 'login', '37s:1', '0123456789abcdef', '{}', 1795179600000000500);
INSERT INTO items VALUES (6, 'access token', '0123456789abcdef', 'ff', '{"Hash":"ff","Scopes":["read","write"],"Generation":2,"ExpiresAt":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (7, 'refresh token', '0123456789abcdef', 'gg', '{"Hash":"gg","Generation":1,"ExpiresAt":"2026-11-20T13:00:00.0000005Z","RotatedAt":"2026-11-20T12:00:00.0000005Z","Sealed":"Bgc="}', 1795179600000000500);
INSERT INTO items VALUES (8, 'ended session', '0123456789abcdef', 'hh', '{}', 1795179600000000500);
INSERT INTO items VALUES (9, 'ended codes', '', '37s:2', '{"Until":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (10, 'grant', 'github https://github.com', '37s:1', '{"Subject":"37s:1","Name":"Ines Albrecht","Account":"gh:1","Scope":"repo","Revision":3,"Version":"3 w","Status":"active","ConnectedAt":"2026-11-20T12:00:00.0000005Z","ExpiresAt":"2026-11-20T13:00:00.0000005Z","Forced":"2026-11-20T12:00:00.0000005Z","Lease":"l","LeaseUntil":"2026-11-20T13:00:00.0000005Z","Failures":5,"NextTry":"2026-11-20T13:00:00.0000005Z","Change":1}', NULL);
INSERT INTO items VALUES (11, 'tokens', 'github https://github.com	37s:1', '3 w', '{"Version":"3 w","Key":"0c295f2af861e0df","Sealed":"ase581qyLIsiE1l5KDqfvIil+9vULDsi9uW7B9eOcJ1e2F5GOPHz8wiuJdzVYJaI38DErsIRvdVIvE62+A7W/gPpGBT2GZUfebFnLA2LGffIjeEjmoFfnDBtXywEHCw5LUf8ZfqFpEpsdWZTIC79n+ivakj4C1OVadfPPLkx1M/UKopHQc77egue15sOU/EfOrkDfZaNjjiP1FRGllIMToiOUb7VBx0yWjOhd+W4z65Yy/MZ8Qmc42NKmARH1aIRwh4COxkWUdplfjlkO+cp6z43Y34HP0KbLUPLmty+kHUy2QKobU/e"}', NULL);
INSERT INTO items VALUES (14, 'checklist', '37s:1', 't', '{"ID":"t","Revision":2,"Todos":[{"content":"Oil the chains","status":"in_progress","activeForm":"Oiling the chains"}],"Previous":[],"HasPrevious":true,"WrittenAt":"2026-11-20T12:00:00.0000005Z","ExpiresAt":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (15, 'latest checklist', '37s:1', '0123456789abcdef', '{"ID":"t"}', 1810728000000000500);
INSERT INTO items VALUES (16, 'task', '37s:1', 'u', '{"ID":"u","Title":"Oil the chains","Description":"All 40","CreatedAt":"2026-11-20T12:00:00.0000005Z","UpdatedAt":"2026-11-20T12:00:00.0000005Z","CompletedAt":"2026-11-20T13:00:00.0000005Z"}', NULL);
INSERT INTO items VALUES (17, 'call', '37s:1', 'add_task 8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a', '{"Subject":"37s:1","Tool":"add_task","Key":"k","Asked":"h","Claim":"i","State":"done","Result":"e30=","HeldUntil":"2026-11-20T12:00:00.0000005Z","ExpiresAt":"2026-11-20T13:00:00.0000005Z"}', 1795179600000000500);
INSERT INTO items VALUES (18, 'audit entry', '37s:1', '20261120T120000.000000500Z-A', '{"time":"2026-11-20T12:00:00.0000005Z","tool":"set_completed","arguments":[{"name":"item","value":"1"}],"outcome":"ok","milliseconds":7,"client":"Plumcot","door":"mcp","request_id":"q","connection":"0123456789abcdef","provider":"github"}', 1802952000000000500);
INSERT INTO items VALUES (19, 'ledger', 'github', '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', '{"Login":"ines-fernhill","Scopes":["repo"],"Revoked":false}', 1811073600000000500);
