import { useNavigate, useParams } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import { failureOf } from "#web/data/failure.ts";
import { inTurns, type Outcome } from "#web/lib/map-with-concurrency.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

type Done = "select.archived" | "select.restored" | "select.deleted" | "select.pinned" | "select.unpinned";
type Deed = (id: string) => Promise<unknown>;

type Named = Pick<Thread, "id">;

/**
 * What can be done with many threads at once: one word about all of them, one way back, and which of them failed. `after`
 * is called when it is done, and when it is undone: for a list that does not follow by itself.
 */
export function useBulkDeeds(after?: () => void) {
  const actions = useThreadActions();
  const navigate = useNavigate();
  const { threadId: shownId } = useParams({ strict: false });

  async function carryOut(threads: readonly Named[], deed: Deed, done: Done, undo?: Deed): Promise<void> {
    const told = (outcome: Outcome<Named>) => {
      sayFailures(outcome);
      after?.();
    };
    const outcome = await inTurns(threads, async ({ id }) => await deed(id));
    told(outcome);
    if (outcome.done.length === 0) return;
    const back = undo && {
      label: t("toast.undo"),
      run: () => void inTurns(outcome.done, async ({ id }) => await undo(id)).then(told),
    };
    showToast(t(done, { count: outcome.done.length }), { action: back });
  }

  const leaveIfIn = (threads: readonly Named[]) => {
    if (threads.some(({ id }) => id === shownId)) void navigate({ to: "/" });
  };

  return {
    archive(threads: readonly Named[]) {
      leaveIfIn(threads);
      void carryOut(threads, actions.archive, "select.archived", actions.unarchive);
    },
    unarchive: (threads: readonly Named[]) =>
      void carryOut(threads, actions.unarchive, "select.restored", actions.archive),
    remove(threads: readonly Named[]) {
      leaveIfIn(threads);
      void carryOut(threads, actions.remove, "select.deleted", actions.restore);
    },
    restore: (threads: readonly Named[]) =>
      void carryOut(threads, actions.restore, "select.restored", actions.remove),
    /** Only those that are not yet as wanted: undoing it changes no other. */
    pin(threads: readonly Thread[], pinned: boolean) {
      const wanted = threads.filter(({ is_pinned: isPinned }) => isPinned !== pinned);
      void carryOut(
        wanted,
        async (id) => await actions.pin(id, pinned),
        pinned ? "select.pinned" : "select.unpinned",
        async (id) => await actions.pin(id, !pinned),
      );
    },
  };
}

/** Says how many did not work, and why the first of them. */
export function sayFailures({ done, failed }: Outcome<unknown>): void {
  const [first] = failed;
  if (first === undefined) return;
  const reason = failureOf(first.error).message;
  const all = done.length + failed.length;
  showToast(all === 1 ? reason : t("select.failed", { count: failed.length, all, reason }), { tone: "loss" });
}
