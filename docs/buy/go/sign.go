package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

// The offer of version 2. What a payment says again is kept as it came.
type offer struct {
	Resource   json.RawMessage   `json:"resource"`
	Accepts    []json.RawMessage `json:"accepts"`
	Extensions json.RawMessage   `json:"extensions"`
}

type terms struct {
	Scheme            string
	Network           string
	Asset             string
	Amount            string
	PayTo             string
	MaxTimeoutSeconds int64
	Extra             struct{ Name, Version string }
}

// Signs the terms (scheme exact: TransferWithAuthorization of EIP-3009, signed as EIP-712).
// Returns the value of PAYMENT-SIGNATURE, and the nonce by which the payment is asked about.
func sign(wallet *ecdsa.PrivateKey, offer offer, accepted json.RawMessage, terms terms) (payment, nonce string) {
	random := make([]byte, 32)
	must(rand.Read(random))
	nonce = hex0x(random)
	authorization := map[string]any{
		"from":        crypto.PubkeyToAddress(wallet.PublicKey).Hex(),
		"to":          terms.PayTo,
		"value":       terms.Amount,
		"validAfter":  "0",
		"validBefore": strconv.FormatInt(time.Now().Unix()+terms.MaxTimeoutSeconds, 10),
		"nonce":       nonce,
	}
	chain := must(strconv.ParseInt(strings.TrimPrefix(terms.Network, "eip155:"), 10, 64))
	hash, _, err := apitypes.TypedDataAndHash(apitypes.TypedData{
		Domain: apitypes.TypedDataDomain{
			Name:              terms.Extra.Name,
			Version:           terms.Extra.Version,
			ChainId:           math.NewHexOrDecimal256(chain),
			VerifyingContract: terms.Asset,
		},
		Types: apitypes.Types{
			"EIP712Domain": {
				{Name: "name", Type: "string"},
				{Name: "version", Type: "string"},
				{Name: "chainId", Type: "uint256"},
				{Name: "verifyingContract", Type: "address"},
			},
			"TransferWithAuthorization": {
				{Name: "from", Type: "address"},
				{Name: "to", Type: "address"},
				{Name: "value", Type: "uint256"},
				{Name: "validAfter", Type: "uint256"},
				{Name: "validBefore", Type: "uint256"},
				{Name: "nonce", Type: "bytes32"},
			},
		},
		PrimaryType: "TransferWithAuthorization",
		Message:     authorization,
	})
	check(err)
	signature := must(crypto.Sign(hash, wallet))
	// The recovery number, as contracts want it.
	signature[64] += 27

	return base64.StdEncoding.EncodeToString(must(json.Marshal(map[string]any{
		"x402Version": 2,
		"resource":    offer.Resource,
		"accepted":    accepted,
		"extensions":  offer.Extensions,
		"payload":     map[string]any{"signature": hex0x(signature), "authorization": authorization},
	}))), nonce
}
