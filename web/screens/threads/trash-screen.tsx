import type { Thread } from "#contract/endpoints/threads.ts";
import { useTrash } from "#web/data/threads/trash.ts";
import { showFailures, useBulkActions } from "#web/selection/bulk-actions.ts";
import { titleOf, useThreadCommands } from "#web/sidebar/row-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { ThreadRows } from "./thread-rows.tsx";

/** `/trash`: the deleted threads, to restore or delete permanently. */
export function TrashScreen() {
  const trash = useTrash();
  const commands = useThreadCommands();
  const bulkActions = useBulkActions();
  const { confirm, dialog } = useConfirmation();
  const removeOne = (thread: Thread) => {
    const title = titleOf(thread);
    confirm({
      label: t("trash.deletePermanently"),
      text: t("trash.askOne", { title }),
      async run() {
        await trash.remove(thread.id);
        return t("trash.goneOne", { title });
      },
    });
  };
  const removeMany = (threads: readonly Thread[], stop: () => void) =>
    confirm({
      label: t("trash.deletePermanently"),
      text: t("select.askDelete", { count: threads.length }),
      async run() {
        const outcome = await trash.removeAll(threads);
        showFailures(outcome);
        stop();
        return outcome.done.length === 0 ? undefined : t("trash.goneAll", { count: outcome.done.length });
      },
    });
  const empty = () =>
    confirm({
      label: t("trash.emptyIt"),
      text: t("trash.askAll"),
      run: async () => t("trash.goneAll", { count: await trash.empty() }),
    });
  return (
    <Page title={t("screen.trash")}>
      <ListContent
        list={trash}
        isEmpty={trash.threads.length === 0}
        loadingLabel={t("sidebar.loading")}
        failedTitle={t("trash.failed")}
        empty={[t("trash.empty"), t("trash.emptyHint")]}
      >
        <ThreadRows
          list={trash}
          hint={t("trash.hint")}
          headButton={<Button onClick={empty}>{t("trash.emptyIt")}</Button>}
          isLinked={false}
          dayOf={(thread) => thread.deleted_at ?? ""}
          restore={{ one: commands.restore, many: bulkActions.restore }}
          remove={{
            label: t("trash.deletePermanently"),
            labelOf: (title) => t("trash.deletePermanentlyThis", { title }),
            one: removeOne,
            many: removeMany,
          }}
        />
      </ListContent>
      {dialog}
    </Page>
  );
}
