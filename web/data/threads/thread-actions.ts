import type { BodyInputOf } from "#contract/api.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Services } from "../services.ts";
import { knownThread, putThread } from "./thread-cache.ts";

/** What a person does with a thread. Shown at once, taken back when it fails; then it throws what `failureOf` reads. */
export type ThreadActions = {
  rename: (id: string, title: string) => Promise<void>;
  archive: (id: string) => Promise<void>;
  unarchive: (id: string) => Promise<void>;
  pin: (id: string, pinned: boolean) => Promise<void>;
  /** Who answers here from the next message on; null for the default ones. */
  choose: (id: string, choice: Pick<Thread, "assistant_id" | "model">) => Promise<void>;
  /** A tool that was always allowed in the thread asks again. */
  askAgain: (thread: Thread, toolName: string) => Promise<void>;
  /** To the trash. */
  remove: (id: string) => Promise<void>;
  /** Out of the trash. */
  restore: (id: string) => Promise<void>;
};

export function createThreadActions({ call, queries }: Pick<Services, "call" | "queries">): ThreadActions {
  async function change(id: string, shown: Partial<Thread>, deed: () => Promise<unknown>): Promise<void> {
    const before = knownThread(queries, id);
    if (before !== undefined) putThread(queries, { ...before, ...shown });
    try {
      await deed();
    } catch (error) {
      // Unless the feed has told something newer meanwhile.
      if (before !== undefined && knownThread(queries, id)?.updated_at === before.updated_at)
        putThread(queries, before);
      throw error;
    }
  }

  async function update(
    id: string,
    shown: Partial<Thread>,
    body: BodyInputOf<"threads.update">,
  ): Promise<void> {
    await change(id, shown, async () => await call("threads.update", { params: { thread_id: id }, body }));
  }

  return {
    rename: async (id, title) => await update(id, { title, title_source: "person" }, { title }),
    archive: async (id) => await update(id, { is_archived: true }, { is_archived: true }),
    unarchive: async (id) => await update(id, { is_archived: false }, { is_archived: false }),
    pin: async (id, pinned) => await update(id, { is_pinned: pinned }, { is_pinned: pinned }),
    async askAgain({ id, allowed_tools: names }, toolName) {
      await change(
        id,
        { allowed_tools: names.filter((name) => name !== toolName) },
        async () => await call("threads.askAgain", { params: { thread_id: id, tool_name: toolName } }),
      );
    },
    choose: async (id, choice) => await update(id, choice, choice),
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
