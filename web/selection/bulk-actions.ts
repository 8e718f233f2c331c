import { useNavigate, useParams } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import { failureOf } from "#web/data/failure.ts";
import { mapWithConcurrency, type Outcome } from "#web/lib/map-with-concurrency.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

type DoneKey = "select.archived" | "select.restored" | "select.deleted" | "select.pinned" | "select.unpinned";
type Action = (id: string) => Promise<unknown>;

type ThreadRef = Pick<Thread, "id">;

/**
 * Actions on many threads at once, each with one toast, one undo and a report of failures. `onChange` is called after an
 * action and after its undo, for lists that do not update on their own.
 */
export function useBulkActions(onChange?: () => void) {
  const actions = useThreadActions();
  const navigate = useNavigate();
  const { threadId: openThreadId } = useParams({ strict: false });

  async function run(
    threads: readonly ThreadRef[],
    action: Action,
    doneKey: DoneKey,
    undo?: Action,
  ): Promise<void> {
    const report = (outcome: Outcome<ThreadRef>) => {
      showFailures(outcome);
      onChange?.();
    };
    const outcome = await mapWithConcurrency(threads, async ({ id }) => await action(id));
    report(outcome);
    if (outcome.done.length === 0) return;
    const undoAction = undo && {
      label: t("action.undo"),
      run: () => void mapWithConcurrency(outcome.done, async ({ id }) => await undo(id)).then(report),
    };
    showToast(t(doneKey, { count: outcome.done.length }), { action: undoAction });
  }

  const leaveIfOpen = (threads: readonly ThreadRef[]) => {
    if (threads.some(({ id }) => id === openThreadId)) void navigate({ to: "/" });
  };

  return {
    archive(threads: readonly ThreadRef[]) {
      leaveIfOpen(threads);
      void run(threads, actions.archive, "select.archived", actions.unarchive);
    },
    unarchive: (threads: readonly ThreadRef[]) =>
      void run(threads, actions.unarchive, "select.restored", actions.archive),
    remove(threads: readonly ThreadRef[]) {
      leaveIfOpen(threads);
      void run(threads, actions.remove, "select.deleted", actions.restore);
    },
    restore: (threads: readonly ThreadRef[]) =>
      void run(threads, actions.restore, "select.restored", actions.remove),
    /** Skips threads that are already in the requested state, so that the undo does not change them. */
    pin(threads: readonly Thread[], pinned: boolean) {
      const changed = threads.filter(({ is_pinned: isPinned }) => isPinned !== pinned);
      void run(
        changed,
        async (id) => await actions.pin(id, pinned),
        pinned ? "select.pinned" : "select.unpinned",
        async (id) => await actions.pin(id, !pinned),
      );
    },
  };
}

/** Shows how many actions failed, and why the first one did. */
export function showFailures({ done, failed }: Outcome<unknown>): void {
  const [first] = failed;
  if (first === undefined) return;
  const reason = failureOf(first.error).message;
  const all = done.length + failed.length;
  showToast(all === 1 ? reason : t("select.failed", { count: failed.length, all, reason }), {
    tone: "danger",
  });
}
