import { useThreadList } from "#web/data/threads/threads.ts";
import { useBulkActions } from "#web/selection/bulk-actions.ts";
import { useThreadCommands } from "#web/sidebar/row-actions.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { ThreadRows } from "./thread-rows.tsx";

/** `/archive`: the archived threads. */
export function ArchiveScreen() {
  const list = useThreadList("archived");
  const commands = useThreadCommands();
  const bulkActions = useBulkActions();
  return (
    <Page title={t("screen.archive")}>
      <ListContent
        list={list}
        isEmpty={list.threads.length === 0}
        loadingLabel={t("sidebar.loading")}
        failedTitle={t("archive.failed")}
        empty={[t("archive.empty"), t("archive.emptyHint")]}
      >
        <ThreadRows
          list={list}
          isLinked
          dayOf={(thread) => thread.last_message_at}
          restore={{ one: commands.unarchive, many: bulkActions.unarchive }}
          remove={{
            label: t("action.delete"),
            labelOf: (title) => t("archive.deleteThis", { title }),
            one: commands.remove,
            many(threads, stop) {
              bulkActions.remove(threads);
              stop();
            },
          }}
        />
      </ListContent>
    </Page>
  );
}
