import type { JsonObject } from "#contract/json.ts";
import { findFileUrls } from "../lib/file-urls/file-urls.ts";
import { pickFields } from "./pick-fields.ts";
import { type DataStreamLine, type FilePlaces, nothing } from "./kind.ts";
import { inline, linkTarget } from "./markdown-text.ts";
import type { ModelUserPart } from "./model-message.ts";

/** `data` is a URL, a data URL or base64. */
type File = { data: string; mediaType: string; filename?: string | undefined };

/** The handlers that image, file and audio parts share. */
export function fileHandlers<P extends object>(fileOf: (part: P) => File) {
  const chunk = (part: P): JsonObject => {
    const { data, mediaType } = fileOf(part);
    return { type: "file", mediaType, url: urlOf(data, mediaType) };
  };
  return {
    chunk,
    line(part: P): DataStreamLine {
      const { data, mediaType: mimeType } = fileOf(part);
      return ["k", { data, mimeType }];
    },
    user(part: P): ModelUserPart {
      const { data, mediaType, filename } = fileOf(part);
      return { type: "file", data, mediaType, ...(filename === undefined ? {} : { filename }) };
    },
    // Providers do not accept files that a model generated.
    assistant: nothing,
    aiSdk: (part: P): JsonObject => ({ ...chunk(part), ...pickFields(part, "filename", "providerMetadata") }),
    markdown: (part: P, places: FilePlaces): string => markdownOf(fileOf(part), places),
  };
}

/** The AI SDK accepts only URLs, so base64 becomes a data URL. */
function urlOf(data: string, mediaType: string): string {
  const isBase64 = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  return isBase64 ? `data:${mediaType};base64,${data}` : data;
}

function markdownOf({ data, mediaType, filename }: File, places: FilePlaces): string {
  const isImage = mediaType.startsWith("image/");
  const kind = isImage ? "Image" : mediaType.startsWith("audio/") ? "Audio" : "File";
  const name = inline(filename ? `${kind}: ${filename}` : kind);
  const target = targetOf(data, places);
  // Only the JSON export contains the bytes.
  return target === undefined
    ? `*${name} (in the JSON export)*`
    : `${isImage ? "!" : ""}[${name}](${target})`;
}

function targetOf(data: string, places: FilePlaces): string | undefined {
  const [named] = data.startsWith("data:") ? [] : findFileUrls(data);
  const place = places.get(named?.id ?? "");
  return place === undefined ? linkTarget(data) : `<${encodeURI(place)}>`;
}
