package items

import (
	"context"
	"encoding/json"
	"errors"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/undo"
)

var _ undo.Store = (*Store)(nil)

const kindUndo = "undo"

// AddUndo stores a new record, or returns ErrTaken.
func (s *Store) AddUndo(ctx context.Context, subject string, r undo.Record) error {
	return s.write(ctx, "add an undo record", func(t tx) error {
		return t.add(Key{kindUndo, subject, r.ID}, r, r.ExpiresAt, undo.ErrTaken)
	})
}

// FindUndo returns a record, or ErrNotFound.
func (s *Store) FindUndo(ctx context.Context, subject, id string) (r undo.Record, err error) {
	err = s.get(ctx, "read an undo record", Key{kindUndo, subject, id}, &r, undo.ErrNotFound)
	return r, err
}

// Undos returns records of a user, newest first.
func (s *Store) Undos(ctx context.Context, subject, before string, limit int) ([]undo.Record, error) {
	return list[undo.Record](ctx, s, "list undo records", Range{Kind: kindUndo, Owner: subject, Below: before, Descending: true, Limit: limit})
}

// ChangeUndo replaces the revision before r's, or returns ErrChanged.
func (s *Store) ChangeUndo(ctx context.Context, subject string, r undo.Record) error {
	return s.write(ctx, "change an undo record", func(t tx) error {
		var stored undo.Record
		ok, err := t.find(Key{kindUndo, subject, r.ID}, &stored)
		if err == nil && (!ok || stored.Revision != r.Revision-1) {
			err = undo.ErrChanged
		}
		if err != nil {
			return err
		}
		return t.put(Key{kindUndo, subject, r.ID}, r, r.ExpiresAt)
	})
}

// Sealer seals undo records with the key of the tokens.
type Sealer struct{ store *Store }

var _ undo.Sealer = Sealer{}

// Sealer returns the sealer of the file.
func (s *Store) Sealer() Sealer { return Sealer{s} }

// box is a sealed text with the ID of its key.
type box struct {
	Key    string
	Sealed []byte
}

// Seal encrypts a text and binds it to a label.
func (s Sealer) Seal(ctx context.Context, label, plain []byte) ([]byte, error) {
	id, cipher, err := s.store.sealing(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(box{id, cipher(label).Seal(nil, nil, plain, label)})
}

// Open decrypts what Seal has sealed with the same label, or returns ErrNotFound.
func (s Sealer) Open(ctx context.Context, label, sealed []byte) ([]byte, error) {
	var b box
	if json.Unmarshal(sealed, &b) != nil {
		return nil, undo.ErrNotFound
	}
	plain, err := s.store.unseal(ctx, b.Key, label, b.Sealed)
	if errors.Is(err, grant.ErrNotFound) {
		err = undo.ErrNotFound
	}
	return plain, err
}
