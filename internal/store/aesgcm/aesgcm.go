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
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a valid key
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes
	}
	return box
}
