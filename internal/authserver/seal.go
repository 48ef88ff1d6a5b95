package authserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
)

// atSuccessor is the purpose of a sealed refresh token.
const atSuccessor = "successor"

// seal encrypts with a key derived from a secret that is not stored (AES-256-GCM, HKDF-SHA256).
// The stored text is unreadable without the secret, and for any other purpose.
func seal(secret, purpose string, plain []byte) []byte {
	return sealing(secret, purpose).Seal(nil, nil, plain, nil)
}

// unseal decrypts a sealed text. It fails with another secret or purpose, and if the text was
// changed.
func unseal(secret, purpose string, sealed []byte) ([]byte, error) {
	return sealing(secret, purpose).Open(nil, nil, sealed, nil)
}

// sealing returns a cipher that puts a new random nonce before every text. Concurrent callers may
// seal different texts with one secret.
func sealing(secret, purpose string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, purpose, 32)
	if err != nil {
		panic(err) // HKDF supports this constant length
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a valid key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the block size of GCM
	}
	return aead
}
