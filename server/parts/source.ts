import type { JsonObject } from "#contract/json.ts";
import type { SourcePart } from "#contract/parts/source.ts";
import { pickFields } from "./pick-fields.ts";
import { nothing, type PartHandlers } from "./kind.ts";
import { inline, linkTarget } from "./markdown-text.ts";

/** Models do not get sources: the answer's text contains what it took from them. */
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
  // The streams do not support documents.
  dataStream: {
    "source-add": (_, part) =>
      part.sourceType === "url" ? ["h", pickFields(part, "sourceType", "id", "url", "title")] : undefined,
  },
  uiMessageStream: {
    "source-add": (_, part) => (part.sourceType === "url" ? aiSdkSource(part) : undefined),
  },
};

function aiSdkSource(part: SourcePart): JsonObject {
  return {
    type: `source-${part.sourceType}`,
    sourceId: part.id,
    ...pickFields(part, "url", "mediaType", "title", "filename", "providerMetadata"),
  };
}
