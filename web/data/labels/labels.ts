import type { Label, LabelKind } from "#contract/labels/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { listKey } from "../query-keys.ts";
import { none, useResource } from "../resource.ts";

/** The person's folders and tags, by name. The feed reports their changes. The actions throw `CallError`. */
export function useLabels() {
  const { data, change, ...list } = useResource(
    listKey("labels-put"),
    "labels.list",
    {},
    { staleTime: Infinity },
  );
  const labels: Label[] = data?.labels ?? none;
  return {
    ...list,
    folders: labels.filter(({ kind }) => kind === "folder"),
    tags: labels.filter(({ kind }) => kind === "tag"),
    /** Without an id, creates a label. Returns its id. */
    async save(kind: LabelKind, name: string, id = newId("label")): Promise<string> {
      await change("labels.put", { params: { label_id: id }, body: { kind, name } });
      return id;
    },
    /** Its threads stay. The feed updates their rows. */
    remove: async (id: string) => await change("labels.remove", { params: { label_id: id } }),
  };
}
