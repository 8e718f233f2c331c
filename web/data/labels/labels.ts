import { useQuery } from "@tanstack/react-query";
import type { Label, LabelKind } from "#contract/labels/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { labelsKey } from "../query-keys.ts";

const none: Label[] = [];

/** The person's folders and tags, by name. The actions throw `CallError`. */
export function useLabels() {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: labelsKey,
    queryFn: async ({ signal }) => (await call("labels.list", {}, signal)).labels,
  });
  const refresh = async () => await queries.invalidateQueries({ queryKey: labelsKey });
  const labels = query.data ?? none;
  return {
    ...loadedOf(query),
    folders: labels.filter(({ kind }) => kind === "folder"),
    tags: labels.filter(({ kind }) => kind === "tag"),
    /** Without an id, creates a label. Returns its id. */
    async save(kind: LabelKind, name: string, id = newId("label")): Promise<string> {
      await call("labels.put", { params: { label_id: id }, body: { kind, name } });
      await refresh();
      return id;
    },
    /** Its threads stay. The feed updates their rows. */
    async remove(id: string): Promise<void> {
      await call("labels.remove", { params: { label_id: id } });
      await refresh();
    },
  };
}
