import { isJsonObject, type Json } from "#contract/json.ts";
import type { ModelEvent } from "../../model.ts";
import type { ChatSettings } from "./sdk.ts";

/** What chunks carry beyond their words: sources, pictures, the count of tokens, and that the answer is over. */
export type Extras = {
  /** Events since the last call. */
  take(): ModelEvent[];
  /** Whether a chunk has carried the finish reason, and which. */
  finishReason: string | undefined;
  /** The count of tokens as the provider said it last. */
  usage: Json | undefined;
  read(chunk: unknown): void;
};

type Extractor = NonNullable<ChatSettings["metadataExtractor"]>;

/** The library's hook for whole chunks; `extrasOf` tells whose they are when an answer begins. */
export function extractorFor(extrasOf: () => Extras): Extractor {
  return {
    extractMetadata: async () => undefined,
    createStreamExtractor() {
      const extras = extrasOf();
      return { processChunk: (chunk) => extras.read(chunk), buildMetadata: () => undefined };
    },
  };
}

export function newExtras(): Extras {
  let events: ModelEvent[] = [];
  const seenUrls = new Set<string>();

  function addSource(url: Json | undefined, title: Json | undefined): void {
    if (typeof url !== "string" || !/^https?:\/\//i.test(url) || seenUrls.has(url)) return;
    seenUrls.add(url);
    const id = `source-${seenUrls.size}`;
    const named = typeof title === "string" && title !== "" ? { title } : {};
    events.push({ type: "part", part: { type: "source", sourceType: "url", id, url, ...named } });
  }

  function read(chunk: unknown): void {
    if (!isJsonObject(chunk)) return;
    if (isJsonObject(chunk.usage)) extras.usage = chunk.usage;
    // Perplexity: on every chunk, the whole list.
    for (const result of listed(chunk.search_results))
      if (isJsonObject(result)) addSource(result.url, result.title);
    for (const citation of listed(chunk.citations)) addSource(citation, undefined);
    const choice = listed(chunk.choices)[0];
    if (!isJsonObject(choice)) return;
    if (typeof choice.finish_reason === "string") extras.finishReason = choice.finish_reason;
    if (!isJsonObject(choice.delta)) return;
    // OpenAI and OpenRouter.
    for (const annotation of listed(choice.delta.annotations)) {
      if (!isJsonObject(annotation) || !isJsonObject(annotation.url_citation)) continue;
      addSource(annotation.url_citation.url, annotation.url_citation.title);
    }
    for (const image of listed(choice.delta.images)) {
      const url = isJsonObject(image) && isJsonObject(image.image_url) ? image.image_url.url : undefined;
      if (typeof url === "string" && /^data:image\/[\w.+-]+;base64,/.test(url.slice(0, 100)))
        events.push({ type: "part", part: { type: "image", image: url } });
    }
  }

  const extras: Extras = {
    finishReason: undefined,
    usage: undefined,
    take() {
      if (events.length === 0) return events;
      const taken = events;
      events = [];
      return taken;
    },
    read,
  };
  return extras;
}

function listed(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
