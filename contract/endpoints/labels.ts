import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { cleanText } from "../text.ts";
import { anyId, emptyObject, timestamp, writtenText } from "./fields.ts";

const kind = z
  .enum(["folder", "tag"])
  .check(z.describe("A thread is in at most one folder and has up to 20 tags."));
const name = writtenText(limits.labelCharacters).check(
  z.describe(
    `At most ${limits.labelCharacters} characters. No two folders, and no two tags, differ only in upper case.`,
  ),
);

/** The name of a folder or tag as it is stored. */
export function labelName(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** Equal for names that differ only in case, or in quotation marks, which end a name in a search. */
export function labelKey(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s"“”„‟«»]+/g, " ")
    .trim();
}

export const label = z
  .object({ id: z.string(), kind, name, created_at: timestamp })
  .check(z.meta({ id: "Label", description: "A folder or a tag, with which threads are sorted." }));
export type Label = z.infer<typeof label>;
export type LabelKind = Label["kind"];

const labelPut = z.object({ kind, name });
export type LabelPut = z.infer<typeof labelPut>;

const labelParams = z.object({ label_id: anyId });

export const labelEndpoints = {
  "labels.list": {
    method: "GET",
    path: "/v1/labels",
    caller: "visitor",
    summary: "List folders and tags",
    description:
      "Those of your workspace, by name. Threads name them in `folder_id` and `tag_ids`. Members of a shared thread see neither.",
    kind: "json",
    status: 200,
    response: z.object({ labels: z.array(label) }),
  },
  "labels.put": {
    method: "PUT",
    path: "/v1/labels/{label_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Create or rename a folder or tag",
    description:
      "You create the id: lbl_0 and 24 characters. Repeating the request changes nothing. A new name applies to all threads at once.",
    params: labelParams,
    body: labelPut,
    kind: "json",
    status: 200,
    response: z.object({ label }),
    errors: ["label-name-taken", "too-many-labels"],
    example: { body: { kind: "folder", name: "Garden" } },
  },
  "labels.remove": {
    method: "DELETE",
    path: "/v1/labels/{label_id}",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Delete a folder or tag",
    description: "Its threads stay.",
    params: labelParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
} as const satisfies Endpoints;
