import { type AddEvent, type Kind, withStrings } from "./kind.ts";

/** `excerpt`: what the provider of a search found at the address. */
export type UrlSource = {
  type: "source";
  sourceType: "url";
  id: string;
  url: string;
  title?: string;
  excerpt?: string;
};
export type DocumentSource = {
  type: "source";
  sourceType: "document";
  id: string;
  title: string;
  mediaType: string;
  filename?: string;
};
export type SourcePart = UrlSource | DocumentSource;

export type SourceEvent = AddEvent<SourcePart>;

export const source: Kind<SourcePart, SourceEvent> = {
  text: () => "",
  read(stored) {
    if (stored.sourceType === "url")
      return withStrings<UrlSource>(stored, ["id", "url"], ["title", "excerpt"]);
    if (stored.sourceType !== "document") return undefined;
    return withStrings<DocumentSource>(stored, ["id", "title", "mediaType"], ["filename"]);
  },
  fromAiSdk({ type, sourceId: id, url, title, mediaType, filename }) {
    if (type === "source-url") return { type: "source", sourceType: "url", id, url, title };
    if (type !== "source-document") return undefined;
    return { type: "source", sourceType: "document", id, title, mediaType, filename };
  },
  fold: { "source-add": (part, event) => part ?? event.source },
};
