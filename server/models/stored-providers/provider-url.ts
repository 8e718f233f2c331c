import { providerKindInfo, type ProviderKindId } from "#contract/provider-kinds.ts";
import { badRequest } from "#server/lib/errors.ts";

/**
 * The base URL of a provider in its stored form: that of its kind if it is empty, without slashes at the end, and without
 * a path that people copied from an example request. Throws `bad-request` if the kind has no usual one.
 */
export function toBaseUrl(kind: ProviderKindId, given: string | undefined): string {
  const text = (given?.trim() || providerKindInfo(kind).baseUrl) ?? "";
  if (text === "") throw badRequest("body.base_url", "must be the URL of the API");
  const url = new URL(text)
    .toString()
    .replace(/\/(?:chat\/completions|completions|responses|messages|models)\/*$/, "")
    .replace(/\/+$/, "");
  return kind === "ollama" ? url.replace(/\/(?:v1|api)$/, "") : url;
}

/** Whether two base URLs lead to the same host, so that a key for one may be sent to the other. */
export function isSameHost(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
