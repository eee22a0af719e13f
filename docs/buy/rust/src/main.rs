//! Buys one recommendation, checks its receipt, repeats the request, and asks whether it was charged.
//!
//! `cargo run -- [address of the seller]`      PRIVATE_KEY=0x… is the wallet; a new one without it

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use alloy_signer_local::PrivateKeySigner;
use base64::{Engine, engine::general_purpose::STANDARD};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, jwk::JwkSet};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, from_slice};
use sha2::{Digest, Sha256};
use x402_chain_eip155::V2Eip155ExactClient;
use x402_reqwest::X402Client;

const PATH: &str = "/agent/v1/habits/recommend";
/// Canonical JSON (RFC 8785: members sorted, no blanks): the receipt has the digest of exactly these bytes.
const BODY: &str =
    r#"{"habits":[{"best_streak":12,"completion_rate":0.46,"current_streak":0,"name":"Read 20 minutes"}]}"#;
/// What this program pays with, USDC on Base: what an amount is worth depends on the token.
const MONEY: [(&str, &str); 3] =
    [("scheme", "exact"), ("network", "eip155:8453"), ("asset", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")];
/// The most this program signs for: 0.10 USD, in millionths.
const MOST: u64 = 100_000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let seller = env::args().nth(1).unwrap_or("http://localhost:8080".into()).trim_end_matches('/').to_owned();
    let signer = match env::var("PRIVATE_KEY") {
        Ok(key) => key.parse::<PrivateKeySigner>()?,
        Err(_) => PrivateKeySigner::random(),
    };
    let payer = signer.address().to_checksum(None);
    say("wallet", &payer);
    // Register the scheme of version 2: it reads the header PAYMENT-REQUIRED. With V1Eip155ExactClient alone the header
    // is read all the same, and nothing is found to pay.
    let wallet = X402Client::new().register(V2Eip155ExactClient::new(Arc::new(signer)));
    let http = Client::builder().timeout(Duration::from_secs(15)).build()?;

    // 1. Ask what it costs. The answer is 402 with the offer, and says for free whether the body is valid.
    let asked = post(&http, &seller, HeaderMap::new()).await?;
    if asked.status() != 402 {
        return Err(format!("Expected 402 with an offer, got {}: {}", asked.status(), asked.text().await?).into());
    }
    let offer: Value = from_slice(&STANDARD.decode(header(asked.headers(), "PAYMENT-REQUIRED")?)?)?;
    let mut entries = offer["accepts"].as_array().into_iter().flatten();
    let terms = entries
        .find(|entry| MONEY.iter().all(|(name, value)| entry[*name] == *value))
        .ok_or("The offer has no price in the money of this program.")?;
    let (amount, pay_to) = (text(&terms["amount"]), text(&terms["payTo"]));
    say("price", &format!("{amount} millionths of a dollar, in {} on {}", text(&terms["asset"]), text(&terms["network"])));
    if amount.parse::<u64>()? > MOST {
        return Err("That is more than this program may spend.".into());
    }

    // 2. Sign the offer, once. What is kept here is all that a repeat needs.
    let mut paying = wallet.make_payment_headers(asked).await?;
    let payment: Value = from_slice(&STANDARD.decode(&paying["payment-signature"])?)?;
    // The client chooses among the terms of an offer by itself.
    if ["scheme", "network", "asset", "amount"].iter().any(|name| payment["accepted"][*name] != terms[*name]) {
        return Err("Other terms were signed than those that were looked at. They are not sent.".into());
    }
    let nonce = text(&payment["payload"]["authorization"]["nonce"]);
    paying.insert("Idempotency-Key", HeaderValue::from_str(&uuid::Uuid::new_v4().to_string())?);
    say("nonce", &nonce);

    // 3. Pay. Without a usable answer the same payment goes out again: it is never charged twice.
    let (status, headers, answer) = insist(&http, &seller, &paying, &nonce).await?;
    if status != 200 {
        return Err(format!("Not paid: {status} {}", String::from_utf8_lossy(&answer)).into());
    }
    say("answer", &format!("200, {} bytes", answer.len()));

    // 4. Check the receipt: signed by the seller, about this payment, this request and these bytes.
    let receipt = header(&headers, "X-Evenkeel-Receipt")?;
    let kid = jsonwebtoken::decode_header(&receipt)?.kid.ok_or("The receipt names no key.")?;
    let keys: JwkSet = from_slice(&get(&http, &format!("{seller}/.well-known/receipt-jwks.json")).await?)?;
    let key = DecodingKey::from_jwk(keys.find(&kid).ok_or("The seller has no such key.")?)?;
    let mut rules = Validation::new(Algorithm::ES256);
    // A receipt is for good: it has no end, and no audience.
    rules.required_spec_claims.clear();
    (rules.validate_exp, rules.validate_aud) = (false, false);
    let claims = jsonwebtoken::decode::<Value>(&receipt, &key, &rules)?.claims;
    let expected = BTreeMap::from([
        ("payer", payer),
        ("nonce", nonce.clone()),
        ("pay_to", pay_to),
        ("amount_atomic", amount),
        ("request_digest", digest(format!("POST\n{PATH}\n{BODY}").as_bytes())),
        ("response_digest", digest(&answer)),
    ]);
    for (claim, value) in expected {
        if claims[claim] != value {
            return Err(format!("The receipt has another {claim}: {}, not {value}", claims[claim]).into());
        }
    }
    say("receipt", &format!("holds, signed with key {kid}"));

    // 5. Repeat it, as after a lost answer: the same payment gets the same bytes, and costs nothing more.
    let (status, headers, again) = insist(&http, &seller, &paying, &nonce).await?;
    if again != answer || header(&headers, "Idempotent-Replayed")? != "true" {
        return Err("The repeat got another answer.".into());
    }
    say("repeat", &format!("{}, the same bytes, not charged again", status.as_u16()));

    // 6. Was I charged? Free, for the one who knows the nonce.
    let status: Value = from_slice(&get(&http, &format!("{seller}/agent/v1/payments/{nonce}")).await?)?;
    let (state, transaction) = (text(&status["state"]), text(&status["transaction"]));
    say("charged", &format!("{}, {state}, nonce {nonce}, transaction {transaction}", status["charged"]));
    Ok(())
}

async fn post(http: &Client, seller: &str, headers: HeaderMap) -> reqwest::Result<Response> {
    let request = http.post(format!("{seller}{PATH}")).header("Content-Type", "application/json");
    request.headers(headers).body(BODY).send().await
}

/// Sends the same request until it is answered for good, to the last byte: 429 and 5xx mean "the same again, after a while".
async fn insist(
    http: &Client,
    seller: &str,
    paying: &HeaderMap,
    nonce: &str,
) -> Result<(StatusCode, HeaderMap, Vec<u8>)> {
    for _ in 0..5 {
        let mut wait = 1;
        if let Ok(response) = post(http, seller, paying.clone()).await {
            let (status, headers) = (response.status(), response.headers().clone());
            let is_final = !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS;
            if let (true, Ok(answer)) = (is_final, response.bytes().await) {
                return Ok((status, headers, answer.to_vec()));
            }
            wait = header(&headers, "Retry-After").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
        }
        tokio::time::sleep(Duration::from_secs(wait)).await;
    }
    Err(format!("No answer. Do not sign again: ask {seller}/agent/v1/payments/{nonce}").into())
}

async fn get(http: &Client, address: &str) -> Result<Vec<u8>> {
    Ok(http.get(address).send().await?.bytes().await?.to_vec())
}

fn header(headers: &HeaderMap, name: &str) -> Result<String> {
    let value = headers.get(name).ok_or(format!("The answer has no {name}."))?;
    Ok(value.to_str()?.to_owned())
}

/// A text as it is; anything else as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn digest(data: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(data)))
}

fn say(what: &str, about: &str) {
    println!("{what:<8}{about}");
}
