"""A signer for buy.sh: `address` prints the wallet of PRIVATE_KEY, `sign` reads typed data (EIP-712) and prints its signature."""

import json
import os
import sys

from eth_account import Account

account = Account.from_key(os.environ["PRIVATE_KEY"])
if sys.argv[1] == "address":
    print(account.address)
else:
    print("0x" + account.sign_typed_data(full_message=json.load(sys.stdin)).signature.hex())
