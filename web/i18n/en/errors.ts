import type { OwnerErrorCode } from "../language.ts";

export const ownerErrors: Readonly<Record<OwnerErrorCode, string>> = {
  "model-not-connected": "No language model is connected. Connect one in Settings > Models.",
  "provider-refused-key": "The model provider did not accept the key. Check it in Settings > Models.",
  "provider-not-a-model":
    "The model's URL leads to a web page or to nothing. Check the URL in Settings > Models. It often ends in /v1.",
  "provider-unreachable":
    "The model provider cannot be reached. Try again, or check its URL in Settings > Models.",
  "secret-not-set":
    "Keys cannot be stored yet. Set PARLANCE_SECRET to the same 32 or more random characters on every server, restart, then try again.",
  "host-not-allowed":
    "This server does not know the host name of this address. Set PUBLIC_URL to the address that people open.",
};
