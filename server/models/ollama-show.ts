import { isJsonObject } from "#contract/json.ts";
import { listedFacts, type ListedFacts } from "./listed-facts.ts";

/** A person waits, and it is on this machine. */
const timeoutMs = 1_000;

/**
 * What an Ollama says of one of its models; `undefined` where it does not. `baseUrl` is without a version. Of its context
 * only what was set counts: what the model could hold is not what it is given.
 */
export async function showOfOllama(
  baseUrl: string,
  id: string,
  fetchOf: typeof fetch,
): Promise<ListedFacts | undefined> {
  try {
    const response = await fetchOf(`${baseUrl}/api/show`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: id }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const shown: unknown = response.ok ? await response.json() : undefined;
    if (!isJsonObject(shown) || !Array.isArray(shown.capabilities)) return undefined;
    const set = typeof shown.parameters === "string" ? /^num_ctx\s+(\d+)$/m.exec(shown.parameters)?.[1] : "";
    return {
      ...listedFacts({ capabilities: shown.capabilities }),
      ...(set ? { contextTokens: Number(set) } : {}),
    };
  } catch {
    // Its absence is met where it is asked for an answer.
    return undefined;
  }
}
