import { isUnknownPart } from "#contract/parts/data.ts";
import { pickFields } from "./pick-fields.ts";
import { nothing, type PartHandlers } from "./kind.ts";
import { details, fencedJson } from "./markdown-text.ts";

/** Only the application that stored such a value can interpret it. Models do not get it. */
export const data: PartHandlers<"data"> = {
  user: nothing,
  assistant: nothing,
  aiSdk: (part) => ({ type: `data-${part.name}`, ...pickFields(part, "id"), data: part.data }),
  markdown: (part) =>
    details(`${isUnknownPart(part) ? "Unknown part" : "Data"}: ${part.name}`, fencedJson(part.data)),
  dataStream: { "data-add": nothing },
  uiMessageStream: { "data-add": ({ data: { name, data } }) => ({ type: `data-${name}`, data }) },
};
