package envelope_test

import (
	"context"
	"strings"
	"testing"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
)

func TestLoad_RefusesARowThatWasChangedOrMoved(t *testing.T) {
	for what, tamper := range map[string]func(env *testEnv, old, newest string){
		"another user's row": func(env *testEnv, _, newest string) {
			env.save(jonas, "second", 2)
			env.copyRow(envelope.Owner{Provider: "orchard", Subject: jonas}, "", newest)
		},
		"another version's row": func(env *testEnv, old, newest string) {
			env.copyRow(envelope.Owner{Provider: "orchard", Subject: ines}, old, newest)
		},
		"another provider's row": func(env *testEnv, _, newest string) {
			theirs := env.stack("fernhill").Of("meadow")
			if _, err := theirs.Save(env.Context(), ines, "second", tokensOf(2)); err != nil {
				env.Fatal(err)
			}
			env.copyRow(envelope.Owner{Provider: "meadow", Subject: ines}, "", newest)
		},
		"another stack's row": func(env *testEnv, _, _ string) {
			if err := env.Delete(env.Context(), ines); err != nil {
				env.Fatal(err)
			}
			theirs := env.stack("thornhill").Of("orchard")
			if _, err := theirs.Save(env.Context(), ines, "second", tokensOf(2)); err != nil {
				env.Fatal(err)
			}
		},
		"a greater revision": func(env *testEnv, _, newest string) {
			env.changeRow(newest, func(r *envelope.Row) { r.Revision++ })
			env.edit(ines, func(p *envelope.Pointer, _ map[string]envelope.Row) { p.Kept[1].Revision++ })
		},
		"a changed byte of the tokens": func(env *testEnv, _, newest string) {
			env.changeRow(newest, func(r *envelope.Row) { r.Sealed[20] ^= 1 })
		},
		"a changed nonce": func(env *testEnv, _, newest string) {
			env.changeRow(newest, func(r *envelope.Row) { r.Sealed[0] ^= 1 })
		},
		"a cut row": func(env *testEnv, _, newest string) {
			env.changeRow(newest, func(r *envelope.Row) { r.Sealed = r.Sealed[:len(r.Sealed)-1] })
		},
		"an empty row": func(env *testEnv, _, newest string) {
			env.changeRow(newest, func(r *envelope.Row) { r.Sealed = nil })
		},
	} {
		for _, byName := range []bool{true, false} {
			t.Run(what, func(t *testing.T) {
				env := newTestEnv(t)
				old, newest := env.save(ines, "first", 1), env.save(ines, "second", 2)
				tamper(env, old, newest)
				version := ""
				if byName {
					version = newest
				}
				env.wantNone(ines, version)
				env.wantRefused()
				env.wantSignIn()
			})
		}
	}
}

// wantSignIn checks that a new sign-in makes the user's tokens usable again.
func (env *testEnv) wantSignIn() {
	env.Helper()
	version := env.save(ines, "sign-in", 3)
	env.wantLoad(ines, version, 3)
	env.wantLoad(ines, "", 3)
	if err := env.Delete(env.Context(), ines); err != nil {
		env.Error(err)
	}
	env.wantNone(ines, version)
}

// row returns the row of an owner's version, or of their newest for "".
func (env *testEnv) row(o envelope.Owner, version string) (found envelope.Row) {
	env.rows.Edit(o, func(p *envelope.Pointer, rows map[string]envelope.Row) {
		if version == "" {
			version = p.Kept[len(p.Kept)-1].Version
		}
		found = rows[version]
	})
	return found
}

// copyRow puts the sealed tokens of another place where Ines's version is.
func (env *testEnv) copyRow(from envelope.Owner, version, to string) {
	env.Helper()
	sealed := env.row(from, version).Sealed
	env.changeRow(to, func(r *envelope.Row) { r.Sealed = sealed })
}

func (env *testEnv) changeRow(version string, change func(*envelope.Row)) {
	env.Helper()
	env.edit(ines, func(_ *envelope.Pointer, rows map[string]envelope.Row) {
		row, ok := rows[version]
		if !ok {
			env.Fatalf("no row of %s", version)
		}
		row.Sealed = append([]byte{}, row.Sealed...)
		change(&row)
		rows[version] = row
	})
}

func TestLoad_RefusesAPointerThatWasChanged(t *testing.T) {
	for what, tamper := range map[string]func(*envelope.Pointer){
		"to a version that does not exist": func(p *envelope.Pointer) { p.Kept[1].Version = "e1.000000000000.00" },
		"to a text that is too long":       func(p *envelope.Pointer) { p.Kept[1].Version = "e1." + strings.Repeat("0", 10_000) + ".00" },
		"to another kind of version":       func(p *envelope.Pointer) { p.Kept[1].Version = "ec4dbbb5-607b-5002-8b9b-9afd75f5578b" },
		"to the old version":               func(p *envelope.Pointer) { p.Kept[1].Version = p.Kept[0].Version },
		"to another revision":              func(p *envelope.Pointer) { p.Kept[1].Revision = 7 },
	} {
		t.Run(what, func(t *testing.T) {
			env := newTestEnv(t)
			env.save(ines, "first", 1)
			newest := env.save(ines, "second", 2)
			env.edit(ines, func(p *envelope.Pointer, _ map[string]envelope.Row) { tamper(p) })
			env.wantNone(ines, "")
			env.wantRefused()
			env.wantLoad(ines, newest, 2)
		})
	}
}

func TestLoad_RefusesAMissingNewestRow(t *testing.T) {
	env := newTestEnv(t)
	env.save(ines, "first", 1)
	env.edit(ines, func(_ *envelope.Pointer, rows map[string]envelope.Row) { clear(rows) })
	env.wantNone(ines, "")
	env.wantRefused()
}

func TestLoad_OfAVersionWithoutARowIsNotAnAttack(t *testing.T) {
	env := newTestEnv(t)
	newest := env.save(ines, "first", 1)
	for _, version := range []string{newest + "0", "e1.", "e1.a", "e1.a.b.c", "e1..b", "ec4dbbb5-607b-5002-8b9b-9afd75f5578b", "7 writer"} {
		env.wantNone(ines, version)
	}
	env.wantNone(jonas, newest)
	if env.log.Len() > 0 {
		t.Errorf("log: %s", &env.log)
	}
}

// A later release may write more; its rows are not damaged.
func TestLoad_OfALaterLayoutIsAnErrorAndNotMissing(t *testing.T) {
	env := newTestEnv(t)
	version := env.save(ines, "first", 1)
	k, err := env.ring.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	env.changeRow(version, func(r *envelope.Row) {
		*r = env.Seal(k, ines, *r, `{"v": 2, "access_token": "secret-access"}`)
	})
	_, err = env.Load(t.Context(), ines, version)
	wantError(t, err, "load tokens: holds layout 2, and this version of the program knows 1")
	if env.refused() > 0 {
		t.Error("a row of a later layout was refused")
	}
}

// Rows that differ only in where one field ends and the next begins must have different labels.
func TestSave_BindsEachFieldSeparately(t *testing.T) {
	env := newTestEnv(t)
	version := env.save(ines, "first", 1)
	for _, other := range []struct{ stack, provider, subject string }{
		{"fernhillo", "rchard", ines}, {"fernhil", "lorchard", ines}, {"fernhill", "orchar", "d" + ines},
	} {
		o := envelope.Owner{Provider: other.provider, Subject: other.subject}
		row := env.row(envelope.Owner{Provider: "orchard", Subject: ines}, version)
		env.rows.Edit(o, func(_ *envelope.Pointer, theirs map[string]envelope.Row) { theirs[version] = row })
		_, err := env.stack(other.stack).Of(other.provider).Load(t.Context(), other.subject, version)
		if err == nil || err.Error() != grant.ErrNotFound.Error() || env.refused() != 1 {
			t.Errorf("%+v: %v, log: %s", other, err, &env.log)
		}
		env.log.Reset()
	}
}

// A transaction that names an item twice is refused, so the user could never sign in again.
func TestSave_RemovesAVersionOnceThatThePointerRepeats(t *testing.T) {
	env := newTestEnv(t)
	first := env.save(ines, "first", 1)
	second := env.saveAfter(fortnight, "second", 2)
	env.edit(ines, func(p *envelope.Pointer, _ map[string]envelope.Row) { p.Kept = append(p.Kept[:1:1], p.Kept...) })
	var removed []string
	rows := &removing{Rows: env.rows, removed: &removed}
	env.now = env.now.Add(fortnight)
	if _, err := env.with(rows, "fernhill").Of("orchard").Save(t.Context(), ines, "third", tokensOf(3)); err != nil {
		t.Fatal(err)
	}
	if len(removed) != 1 || removed[0] != first {
		t.Errorf("removed %q, want %s once", removed, first)
	}
	env.wantLoad(ines, second, 2)
	env.wantLoad(ines, "", 3)
}

// A table refuses a request with such a name, so the user could never sign in again.
func TestSave_RemovesOnlyWhatIsTheNameOfAVersion(t *testing.T) {
	env := newTestEnv(t)
	first := env.save(ines, "first", 1)
	env.saveAfter(fortnight, "second", 2)
	env.edit(ines, func(p *envelope.Pointer, _ map[string]envelope.Row) {
		for _, garbage := range []string{"", "e1.00." + strings.Repeat("0", 2000), "\x00"} {
			forged := p.Kept[0]
			forged.Version = garbage
			p.Kept = append([]envelope.Kept{forged}, p.Kept...)
		}
	})
	var removed []string
	env.now = env.now.Add(fortnight)
	if _, err := env.with(&removing{Rows: env.rows, removed: &removed}, "fernhill").Of("orchard").Save(t.Context(), ines, "third", tokensOf(3)); err != nil {
		t.Fatal(err)
	}
	if len(removed) != 1 || removed[0] != first {
		t.Errorf("removed %.200q, want %s", removed, first)
	}
	env.edit(ines, func(p *envelope.Pointer, _ map[string]envelope.Row) {
		if len(p.Kept) != 2 {
			t.Errorf("the pointer names %d versions, want 2", len(p.Kept))
		}
	})
}

// removing notes what is removed.
type removing struct {
	envelope.Rows
	removed *[]string
}

func (r *removing) Write(ctx context.Context, o envelope.Owner, p envelope.Pointer, add *envelope.Row, remove []string) error {
	*r.removed = append(*r.removed, remove...)
	return r.Rows.Write(ctx, o, p, add, remove)
}
