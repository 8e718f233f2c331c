import type { OwnerErrorCode } from "../language.ts";

export const ownerErrors: Readonly<Record<OwnerErrorCode, string>> = {
  "model-not-connected": "No language model is connected. Set OPENAI_BASE_URL to connect one.",
  "provider-refused-key": "The model provider did not accept the key. Check OPENAI_API_KEY.",
  "provider-not-a-model":
    "The model's URL returned a web page. Check OPENAI_BASE_URL, which often ends in /v1.",
  "provider-unreachable":
    "The model provider cannot be reached. Try again, or check OPENAI_BASE_URL or OLLAMA_URL.",
  "host-not-allowed":
    "This server does not know the host name of this address. Set PUBLIC_URL to the address that people open.",
};
