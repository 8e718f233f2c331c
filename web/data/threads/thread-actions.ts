import type { BodyInputOf } from "#contract/api.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Services } from "../services.ts";
import { cachedThread, putThread } from "./thread-cache.ts";

/** Changes of a thread, shown as optimistic updates. A failed one is reverted and throws `CallError`. */
export type ThreadActions = {
  rename: (id: string, title: string) => Promise<void>;
  archive: (id: string) => Promise<void>;
  unarchive: (id: string) => Promise<void>;
  pin: (id: string, pinned: boolean) => Promise<void>;
  /** Sets the assistant and model for the next messages; null for the defaults. */
  chooseAssistant: (id: string, choice: Pick<Thread, "assistant_id" | "model">) => Promise<void>;
  /** Requires an approval again for a tool that was always allowed in the thread. */
  disallowTool: (thread: Thread, toolName: string) => Promise<void>;
  /** Moves the thread to the trash. */
  remove: (id: string) => Promise<void>;
  /** Restores the thread from the trash. */
  restore: (id: string) => Promise<void>;
};

export function createThreadActions({ call, queries }: Pick<Services, "call" | "queries">): ThreadActions {
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
    rename: async (id, title) => await update(id, { title, title_source: "person" }, { title }),
    archive: async (id) => await update(id, { is_archived: true }, { is_archived: true }),
    unarchive: async (id) => await update(id, { is_archived: false }, { is_archived: false }),
    pin: async (id, pinned) => await update(id, { is_pinned: pinned }, { is_pinned: pinned }),
    async disallowTool({ id, allowed_tools: names }, toolName) {
      await change(
        id,
        { allowed_tools: names.filter((name) => name !== toolName) },
        async () => await call("threads.askAgain", { params: { thread_id: id, tool_name: toolName } }),
      );
    },
    chooseAssistant: async (id, choice) => await update(id, choice, choice),
    async remove(id) {
      await change(
        id,
        { deleted_at: new Date().toISOString() },
        async () => await call("threads.remove", { params: { thread_id: id } }),
      );
    },
    async restore(id) {
      await change(id, { deleted_at: null }, async () => {
        const { thread } = await call("threads.restore", { params: { thread_id: id } });
        putThread(queries, thread);
      });
    },
  };
}
