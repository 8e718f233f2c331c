import type { JsonObject } from "#contract/json.ts";
import type { SourcePart } from "#contract/parts/source.ts";
import { kept } from "./kept.ts";
import { nothing, type PartHandlers } from "./kind.ts";
import { inline, linkTarget } from "./markdown-text.ts";

/** Sources are for people. What a model took from them is in the text that cites them. */
export const source: PartHandlers<"source"> = {
  user: nothing,
  assistant: nothing,
  aiSdk: aiSdkSource,
  markdown(part) {
    if (part.sourceType === "document") return inline(part.title || part.filename || part.id);
    const name = inline(part.title || part.url);
    const target = linkTarget(part.url);
    return target === undefined ? name : `[${name}](${target})`;
  },
  // The streams have no form for documents.
  dataStream: {
    "source-add": (_, part) =>
      part.sourceType === "url" ? ["h", kept(part, "sourceType", "id", "url", "title")] : undefined,
  },
  uiMessageStream: {
    "source-add": (_, part) => (part.sourceType === "url" ? aiSdkSource(part) : undefined),
  },
};

function aiSdkSource(part: SourcePart): JsonObject {
  return {
    type: `source-${part.sourceType}`,
    sourceId: part.id,
    ...kept(part, "url", "mediaType", "title", "filename", "providerMetadata"),
  };
}
