// Buys one recommendation, checks its receipt, repeats the request, and asks whether it was charged.
//
//	go run . [address of the seller]      PRIVATE_KEY=0x… is the wallet; a new one without it
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
)

const path = "/agent/v1/habits/recommend"

// Canonical JSON (RFC 8785: members sorted, no blanks): the receipt has the digest of exactly these bytes.
const body = `{"habits":[{"best_streak":12,"completion_rate":0.46,"current_streak":0,"name":"Read 20 minutes"}]}`

// What this program pays with, USDC on Base: what an amount is worth depends on the token.
var money = [3]string{"exact", "eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}

// The most this program signs for: 0.10 USD, in millionths.
const most = 100_000

var seller = "http://localhost:8080"

type answer struct {
	status  int
	headers http.Header
	body    []byte
}

func main() {
	if len(os.Args) > 1 {
		seller = strings.TrimSuffix(os.Args[1], "/")
	}
	wallet := walletKey()
	payer := crypto.PubkeyToAddress(wallet.PublicKey).Hex()
	say("wallet", payer)

	// 1. Ask what it costs. The answer is 402 with the offer, and says for free whether the body is valid.
	asked := must(send("POST", path, nil))
	if asked.status != 402 {
		fail("Expected 402 with an offer, got %d: %s", asked.status, asked.body)
	}
	var free struct {
		Extensions struct {
			Preflight struct {
				Valid  bool
				Issues json.RawMessage
			}
		}
	}
	check(json.Unmarshal(asked.body, &free))
	if !free.Extensions.Preflight.Valid {
		fail("Mend the body first: %s", free.Extensions.Preflight.Issues)
	}
	// The offer of version 2 is in the header. What is in the body is for clients of version 1.
	var offer offer
	check(json.Unmarshal(must(base64.StdEncoding.DecodeString(asked.headers.Get("PAYMENT-REQUIRED"))), &offer))
	accepted, terms := ours(offer)
	say("price", terms.Amount+" millionths of a dollar, in "+terms.Asset+" on "+terms.Network)
	if must(strconv.Atoi(terms.Amount)) > most {
		fail("That is more than this program may spend.")
	}

	// 2. Sign the terms that were looked at, once. What is kept here is all that a repeat needs.
	payment, nonce := sign(wallet, offer, accepted, terms)
	paying := map[string]string{"PAYMENT-SIGNATURE": payment, "Idempotency-Key": rand.Text()}
	say("nonce", nonce)

	// 3. Pay. Without a usable answer the same payment goes out again: it is never charged twice.
	paid := insist(paying, nonce)
	if paid.status != 200 {
		fail("Not paid: %d %s", paid.status, paid.body)
	}
	say("answer", fmt.Sprintf("200, %d bytes", len(paid.body)))

	// 4. Check the receipt: signed by the seller, about this payment, this request and these bytes.
	claims, kid := verified(paid.headers.Get("X-Evenkeel-Receipt"))
	for claim, value := range map[string]string{
		"payer":           payer,
		"nonce":           nonce,
		"pay_to":          terms.PayTo,
		"amount_atomic":   terms.Amount,
		"request_digest":  digest([]byte("POST\n" + path + "\n" + body)),
		"response_digest": digest(paid.body),
	} {
		if claims[claim] != value {
			fail("The receipt has another %s: %v, not %s", claim, claims[claim], value)
		}
	}
	say("receipt", "holds, signed with key "+kid)

	// 5. Repeat it, as after a lost answer: the same payment gets the same bytes, and costs nothing more.
	again := insist(paying, nonce)
	if !bytes.Equal(again.body, paid.body) || again.headers.Get("Idempotent-Replayed") != "true" {
		fail("The repeat got another answer.")
	}
	say("repeat", fmt.Sprintf("%d, the same bytes, not charged again", again.status))

	// 6. Was I charged? Free, for the one who knows the nonce.
	var status struct {
		Charged     *bool
		State       string
		Transaction *string
	}
	check(json.Unmarshal(must(send("GET", "/agent/v1/payments/"+nonce, nil)).body, &status))
	charged := "null"
	if status.Charged != nil {
		charged = strconv.FormatBool(*status.Charged)
	}
	transaction := "null"
	if status.Transaction != nil {
		transaction = *status.Transaction
	}
	say("charged", charged+", "+status.State+", nonce "+nonce+", transaction "+transaction)
}

// The terms of the offer in our money, as they came and as they are read.
func ours(offer offer) (accepted json.RawMessage, found terms) {
	for _, accepted := range offer.Accepts {
		var read terms
		check(json.Unmarshal(accepted, &read))
		if [3]string{read.Scheme, read.Network, read.Asset} == money {
			return accepted, read
		}
	}
	fail("The offer has no price in the money of this program.")
	return nil, terms{}
}

func walletKey() *ecdsa.PrivateKey {
	if key := os.Getenv("PRIVATE_KEY"); key != "" {
		return must(crypto.HexToECDSA(strings.TrimPrefix(key, "0x")))
	}
	return must(crypto.GenerateKey())
}

func send(method, to string, headers map[string]string) (answer, error) {
	request := must(http.NewRequest(method, seller+to, nil))
	if method == "POST" {
		request.Body = io.NopCloser(strings.NewReader(body))
		request.ContentLength = int64(len(body))
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	client := http.Client{Timeout: 15 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, content}, err
}

// Sends the same request until it is answered for good: 429 and 5xx mean "the same again, after a while".
func insist(headers map[string]string, nonce string) answer {
	for range 5 {
		got, err := send("POST", path, headers)
		if err == nil && got.status < 500 && got.status != 429 {
			return got
		}
		wait := 1
		if seconds, none := strconv.Atoi(got.headers.Get("Retry-After")); none == nil && seconds > 0 {
			wait = seconds
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
	fail("No answer. Do not sign again: ask %s/agent/v1/payments/%s", seller, nonce)
	return answer{}
}

// The claims of a compact JWS that one of the seller's keys has signed with ES256, and the name of that key.
func verified(receipt string) (claims map[string]any, kid string) {
	parts := strings.Split(receipt, ".")
	if len(parts) != 3 {
		fail("The answer has no receipt.")
	}
	var head struct{ Alg, Kid string }
	check(json.Unmarshal(raw(parts[0]), &head))
	check(json.Unmarshal(raw(parts[1]), &claims))
	var set struct {
		Keys []struct{ Kid, X, Y string }
	}
	check(json.Unmarshal(must(send("GET", "/.well-known/receipt-jwks.json", nil)).body, &set))
	for _, key := range set.Keys {
		if key.Kid != head.Kid || head.Alg != "ES256" {
			continue
		}
		public := must(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, raw(key.X)...), raw(key.Y)...)))
		signed, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), raw(parts[2])
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		if ecdsa.Verify(public, signed[:], r, s) {
			return claims, head.Kid
		}
	}
	fail("The receipt is not signed by the seller.")
	return nil, ""
}

func raw(part string) []byte { return must(base64.RawURLEncoding.DecodeString(part)) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func hex0x(data []byte) string { return "0x" + hex.EncodeToString(data) }

func say(what, text string) { fmt.Printf("%-8s%s\n", what, text) }

func fail(text string, about ...any) {
	fmt.Fprintf(os.Stderr, text+"\n", about...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}
