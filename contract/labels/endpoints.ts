import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { limits } from "../limits.ts";
import { described, namedObject, timestamp, writtenText } from "../endpoints/fields.ts";

const kind = described(z.enum(["folder", "tag"]), "A thread is in at most one folder and has up to 20 tags.");
const name = described(
  writtenText(limits.labelCharacters),
  `At most ${limits.labelCharacters} characters. No two folders, and no two tags, differ only in upper case.`,
);

export const label = namedObject("Label", "A folder or a tag, with which threads are sorted.", {
  id: z.string(),
  kind,
  name,
  created_at: timestamp,
});
export type Label = z.infer<typeof label>;
export type LabelKind = Label["kind"];

const labelPut = z.object({ kind, name });
export type LabelPut = z.infer<typeof labelPut>;

export const labelEndpoints = endpoints("visitor", {
  "labels.list": {
    request: "GET /v1/labels",
    summary: "List folders and tags",
    description:
      "Those of your workspace, by name. Threads name them in `folder_id` and `tag_ids`. Members of a shared thread see neither.",
    response: z.object({ labels: z.array(label) }),
  },
  "labels.put": {
    request: "PUT /v1/labels/{label_id}",
    audit: { none: "own-content" },
    summary: "Create or rename a folder or tag",
    description:
      "You create the id: lbl_0 and 24 characters. Repeating the request changes nothing. A new name applies to all threads at once.",
    body: labelPut,
    response: z.object({ label }),
    errors: ["label-name-taken", "too-many-labels"],
    example: { body: { kind: "folder", name: "Garden" } },
  },
  "labels.remove": {
    request: "DELETE /v1/labels/{label_id}",
    audit: { none: "own-content" },
    summary: "Delete a folder or tag",
    description: "Its threads stay.",
  },
});
