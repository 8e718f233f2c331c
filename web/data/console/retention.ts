import type { BodyInputOf } from "#contract/api.ts";
import { useServices } from "../provider.tsx";
import { useResource } from "../resource.ts";
import { saveFile } from "../transfer/save-file.ts";

export type RetentionRules = BodyInputOf<"console.putRetention">;

/** How long what an app stores is kept. Changes throw `CallError`. */
export function useRetention(appId: string) {
  const params = { app_id: appId };
  const { call } = useServices();
  const {
    data: retention,
    change,
    ...loaded
  } = useResource(["console", "retention", appId], "console.retention", { params });
  return {
    ...loaded,
    retention,
    put: async (body: RetentionRules) => await change("console.putRetention", { params, body }),
    /** What the rules would delete. */
    preview: async (rules: RetentionRules) => {
      const { keep_threads_days: threads, keep_span_texts_days: spans } = rules;
      const query = {
        ...(threads !== null && { keep_threads_days: String(threads) }),
        ...(spans !== null && { keep_span_texts_days: String(spans) }),
      };
      return await call("console.previewRetention", { params, query });
    },
  };
}

/** Downloads the steps of an app's run. Throws `CallError`. */
export function useReplayDownload(appId: string, runId: string) {
  const { call } = useServices();
  return async (): Promise<void> => {
    const { events } = await call("console.replay", { params: { app_id: appId, run_id: runId } });
    const blob = new Blob([JSON.stringify(events, null, 2)], { type: "application/json" });
    saveFile({ name: `${runId}.ag-ui.json`, blob });
  };
}
