import { useAui, useRuntimeAdapters } from "@assistant-ui/react";
import type { AssistantCloud, RuntimeAdapters, ThreadHistoryAdapter } from "@assistant-ui/react";
import { useMemo } from "react";

const appDeletes = new URLSearchParams(location.search).has("deletes");

/**
 * The history of the cloud, with a `delete` of the app's own, for versions of assistant-ui whose history adapter throws
 * "does not support deleting". It deletes messages that were loaded: these have the ids of the service.
 */
export function useDeletingHistory(cloud: AssistantCloud): Pick<RuntimeAdapters, "history"> {
  const aui = useAui();
  const history = useRuntimeAdapters()?.history;
  return useMemo(() => {
    if (history === undefined || !appDeletes) return {};
    const deletes: Pick<ThreadHistoryAdapter, "delete"> = {
      async delete(items) {
        const { remoteId } = aui.threadListItem().getState();
        if (remoteId === undefined) throw new Error("The thread is not stored.");
        const ids = items.map(({ message }) => message.id);
        await cloud.threads.messages.delete(remoteId, ids);
      },
    };
    return { history: Object.assign(Object.create(history) as ThreadHistoryAdapter, deletes) };
  }, [aui, cloud, history]);
}
