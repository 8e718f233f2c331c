import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

export type SourcePart =
  | { type: "source"; sourceType: "url"; id: string; url: string; title?: string }
  | {
      type: "source";
      sourceType: "document";
      id: string;
      title: string;
      mediaType: string;
      filename?: string;
    };

export type SourceEvent = PartEvent<"source-add", { source: SourcePart }>;

export const sourceSchema: z.ZodMiniType<SourcePart> = z.union([
  z.looseObject({ type: z.literal("source"), sourceType: z.literal("url"), id: z.string(), url: z.string() }),
  z.looseObject({
    type: z.literal("source"),
    sourceType: z.literal("document"),
    id: z.string(),
    title: z.string(),
    mediaType: z.string(),
  }),
]);

export const source: Kind<SourcePart, SourceEvent> = {
  text: () => "",
  events: { "source-add": true },
  fold: (part, event) => part ?? event.source,
};
