import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { ModelEvent } from "../../model.ts";
import { createReasoningDetails } from "../chat-completions/reasoning-details.ts";
import type { ChatSettings } from "./sdk.ts";

/** What chunks contain besides text: sources, images, signed reasoning, token counts and the finish reason. */
export type Extras = {
  /** Events since the last call. */
  take(): ModelEvent[];
  /** Absent until a chunk has contained it. */
  finishReason: string | undefined;
  /** The token counts that the provider sent last. */
  usage: Json | undefined;
  read(chunk: unknown): void;
  /** The fields that the model requires back with its message; `undefined` if there are none. */
  messageFields(): JsonObject | undefined;
  /** Adds a source that the SDK reports. */
  addSource(url: Json | undefined, title: Json | undefined, excerpt?: Json): void;
};

type Extractor = NonNullable<ChatSettings["metadataExtractor"]>;

/** The SDK's hook for raw chunks. `currentExtras` returns those of the request that is starting. */
export function createExtractor(currentExtras: () => Extras): Extractor {
  return {
    extractMetadata: async () => undefined,
    createStreamExtractor() {
      const extras = currentExtras();
      return { processChunk: (chunk) => extras.read(chunk), buildMetadata: () => undefined };
    },
  };
}

export function createExtras(): Extras {
  let events: ModelEvent[] = [];
  const seenUrls = new Set<string>();
  const reasoningDetails = createReasoningDetails();

  function addSource(url: Json | undefined, title: Json | undefined, excerpt?: Json): void {
    if (typeof url !== "string" || !/^https?:\/\//i.test(url) || seenUrls.has(url)) return;
    if (url.length > limits.sourceUrlCharacters) return;
    seenUrls.add(url);
    const id = `source-${seenUrls.size}`;
    const part = {
      type: "source" as const,
      sourceType: "url" as const,
      id,
      url,
      ...(isText(title) && { title: cutText(title, limits.sourceTitleCharacters) }),
      ...(isText(excerpt) && { excerpt: cutText(excerpt, limits.sourceExcerptCharacters) }),
    };
    events.push({ type: "part", part });
  }

  function read(chunk: unknown): void {
    if (!isJsonObject(chunk)) return;
    if (isJsonObject(chunk.usage)) extras.usage = chunk.usage;
    // Perplexity sends the whole list with every chunk.
    for (const result of arrayOf(chunk.search_results))
      if (isJsonObject(result)) addSource(result.url, result.title, result.snippet);
    for (const citation of arrayOf(chunk.citations)) addSource(citation, undefined);
    const choice = arrayOf(chunk.choices)[0];
    if (!isJsonObject(choice)) return;
    if (typeof choice.finish_reason === "string") extras.finishReason = choice.finish_reason;
    if (!isJsonObject(choice.delta)) return;
    reasoningDetails.read(choice.delta.reasoning_details);
    // OpenAI and OpenRouter send these.
    for (const annotation of arrayOf(choice.delta.annotations)) {
      if (!isJsonObject(annotation) || !isJsonObject(annotation.url_citation)) continue;
      const { url, title, content } = annotation.url_citation;
      addSource(url, title, content);
    }
    for (const image of arrayOf(choice.delta.images)) {
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
    messageFields() {
      const details = reasoningDetails.list();
      return details.length === 0 ? undefined : { reasoning_details: details };
    },
    addSource,
  };
  return extras;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
