import type { OwnerErrorCode } from "../language.ts";

export const ownerErrors: Readonly<Record<OwnerErrorCode, string>> = {
  "provider-refused-key": "The model provider rejected the API key. Check it in Settings > Models.",
  "provider-not-a-model":
    "The provider’s URL isn’t a model API. Check it in Settings > Models. It often ends in /v1.",
  "provider-unreachable": "Can’t reach the model provider. Try again, or check its URL in Settings > Models.",
  "secret-not-set":
    "Keys can’t be stored yet. Set PARLANCE_SECRET to the same 32 or more random characters on every server, restart, then try again.",
  "public-url-not-set":
    "Links in e-mails need the address of this server. Set PUBLIC_URL to it, restart the server, then try again.",
  "passkeys-not-here":
    "Passkeys need an address with https and a host name. Set PUBLIC_URL to it. On the same machine, localhost works too.",
  "host-not-allowed":
    "This server doesn’t recognize the host name in this address. Set PUBLIC_URL to the address people open.",
};
