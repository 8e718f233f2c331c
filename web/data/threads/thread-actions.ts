import type { BodyInputOf } from "#contract/api.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Services } from "../services.ts";
import { cachedThread, putThread } from "./thread-cache.ts";

export type ThreadActions = ReturnType<typeof createThreadActions>;

/** Changes of a thread, shown as optimistic updates. A failed one is reverted and throws `CallError`. */
export function createThreadActions({ call, queries }: Pick<Services, "call" | "queries">) {
  async function change(
    id: string,
    optimistic: Partial<Thread>,
    send: () => Promise<unknown>,
  ): Promise<void> {
    const before = cachedThread(queries, id);
    if (before !== undefined) putThread(queries, { ...before, ...optimistic });
    try {
      await send();
    } catch (error) {
      // Do not overwrite a newer row that arrived from the feed meanwhile.
      if (before !== undefined && cachedThread(queries, id)?.updated_at === before.updated_at)
        putThread(queries, before);
      throw error;
    }
  }

  async function update(
    id: string,
    optimistic: Partial<Thread>,
    body: BodyInputOf<"threads.update">,
  ): Promise<void> {
    await change(
      id,
      optimistic,
      async () => await call("threads.update", { params: { thread_id: id }, body }),
    );
  }

  return {
    limitToLocal: async (id: string, localOnly: boolean) =>
      await update(id, { local_only: localOnly }, { local_only: localOnly }),
    rename: async (id: string, title: string) =>
      await update(id, { title, title_source: "person" }, { title }),
    archive: async (id: string) => await update(id, { is_archived: true }, { is_archived: true }),
    unarchive: async (id: string) => await update(id, { is_archived: false }, { is_archived: false }),
    pin: async (id: string, pinned: boolean) =>
      await update(id, { is_pinned: pinned }, { is_pinned: pinned }),
    sort: async (id: string, labels: Partial<Pick<Thread, "folder_id" | "tag_ids">>) =>
      await update(id, labels, labels),
    /** Requires an approval again for a tool that was always allowed in the thread. */
    async disallowTool({ id, allowed_tools: names }: Thread, toolName: string) {
      await change(
        id,
        { allowed_tools: names.filter((name) => name !== toolName) },
        async () => await call("threads.askAgain", { params: { thread_id: id, tool_name: toolName } }),
      );
    },
    /** Sets the assistant, model and reasoning effort for the next messages; null for the defaults. */
    chooseAssistant: async (
      id: string,
      choice: Pick<Thread, "assistant_id" | "model" | "reasoning_effort">,
    ) => await update(id, choice, choice),
    /** Moves the thread to the trash. */
    async remove(id: string) {
      await change(
        id,
        { deleted_at: new Date().toISOString() },
        async () => await call("threads.remove", { params: { thread_id: id } }),
      );
    },
    async restore(id: string) {
      await change(id, { deleted_at: null }, async () => {
        const { thread } = await call("threads.restore", { params: { thread_id: id } });
        putThread(queries, thread);
      });
    },
  };
}
