import type { BodyInputOf } from "#contract/api.ts";
import type { RestoreProgress, StoredBackupShown } from "#contract/backups/endpoints.ts";
import { useServices } from "../provider.tsx";
import { none, useResource } from "../resource.ts";

/** The backups of the server, for owners. Changes throw `CallError`. */
export function useBackups() {
  const {
    data: report,
    change,
    ...loaded
  } = useResource(
    ["backups"],
    "backups.get",
    {},
    {
      others: [["stored-backups"]],
    },
  );
  return {
    ...loaded,
    report,
    save: async (body: BodyInputOf<"backups.put">) => await change("backups.put", { body }),
    remove: async () => await change("backups.remove", {}),
    start: async () => await change("backups.start", {}),
    /** Reads again how the backup that runs is. */
    readAgain: loaded.retry,
  };
}

/** What is in the place of the backups. */
export function useStoredBackups({ enabled, of }: { enabled: boolean; of: string }) {
  const { data, ...loaded } = useResource(["stored-backups", of], "backups.list", {}, { enabled });
  return { ...loaded, backups: data?.backups ?? none };
}

type Target = BodyInputOf<"restores.list">["target"];

/** Restores a backup into this server, which nobody has used yet. The functions throw `CallError`. */
export function useRestore() {
  const { call } = useServices();
  return {
    list: async (target: Target): Promise<StoredBackupShown[]> =>
      (await call("restores.list", { body: { target } })).backups,
    start: async (body: BodyInputOf<"restores.start">) => void (await call("restores.start", { body })),
    /** `undefined` while the server does not answer, because it starts again. */
    progress: async (): Promise<RestoreProgress | null | undefined> =>
      await call("restores.get", {}).then(
        ({ restore }) => restore,
        () => undefined,
      ),
  };
}
