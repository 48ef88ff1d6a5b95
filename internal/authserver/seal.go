package authserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
)

// atSuccessor is the purpose of a sealed refresh token.
const atSuccessor = "successor"

// seal encrypts with a key made of a secret that is not stored, so that who reads the table reads nothing (AES-256-GCM,
// HKDF-SHA256). What was sealed for one purpose opens for no other.
func seal(secret, purpose string, plain []byte) []byte {
	return sealing(secret, purpose).Seal(nil, nil, plain, nil)
}

// unseal opens what seal made. It fails with another secret or purpose, and when a bit was changed.
func unseal(secret, purpose string, sealed []byte) ([]byte, error) {
	return sealing(secret, purpose).Open(nil, nil, sealed, nil)
}

// sealing draws a new nonce for every text and puts it in front. Callers that race seal different texts with one secret.
func sealing(secret, purpose string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, purpose, 32)
	if err != nil {
		panic(err) // the length is a constant that HKDF can give
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the block size that GCM wants
	}
	return aead
}
