// Package aesgcm encrypts what is stored, or given to a client to keep: AES-256-GCM, with a new
// random nonce before every text. Concurrent callers may seal different texts with one key.
package aesgcm

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
)

// For returns the cipher whose key is derived from a secret for one purpose (HKDF-SHA256, RFC
// 5869). What it seals cannot be opened for another purpose.
func For(purpose string, secret []byte) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		panic(err) // HKDF supports this constant length
	}
	box, err := With(key)
	if err != nil {
		panic(err) // 32 bytes are a valid key
	}
	return box
}

// With returns the cipher of a key. The error means that the key does not have a length of AES.
func With(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
