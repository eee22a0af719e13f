const TRANSACTION_PAGES: Record<string, string> = {
  'eip155:8453': 'https://basescan.org/tx/',
  'eip155:84532': 'https://sepolia.basescan.org/tx/',
};

/** `0x857b…6B36`, of an address as of a hash. */
export function shortHex(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Where people look at a transaction; nothing for a chain that we know no explorer of. */
export function transactionPage(network: string, hash: string): string | undefined {
  const page = TRANSACTION_PAGES[network];
  return page && `${page}${hash}`;
}
