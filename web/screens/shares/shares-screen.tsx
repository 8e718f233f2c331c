import type { Thread } from "#contract/endpoints/threads.ts";
import type { Loaded } from "#web/data/load-state.ts";
import { useSession } from "#web/data/session/session.ts";
import { useThreadsSharedByMe } from "#web/data/shares/members.ts";
import { useShares } from "#web/data/shares/shares.ts";
import { useSharedThreads } from "#web/data/threads/threads.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { openShareDialog } from "#web/ui/open-thread-dialog.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import screenStyles from "../screen.module.css";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { Row, RowButtons } from "../row.tsx";
import { Rows } from "../rows.tsx";
import { ShareRows } from "./share-rows.tsx";
import styles from "./shares.module.css";

/** `/shares`: what others share with the person, what the person shares with others, and the person's links. */
export function SharesScreen() {
  const list = useShares();
  const { me } = useSession();
  const withMe = useSharedThreads();
  const byMe = useThreadsSharedByMe(me !== undefined && me.email !== null);
  const hasThreads = withMe.threads.length + byMe.threads.length > 0;
  return (
    <Page title={t("screen.shares")}>
      <Threads heading={t("share.withMe")} list={withMe} />
      <Threads heading={t("share.byMe")} list={byMe} isOwn />
      {hasThreads && <h2 className={screenStyles["heading"]}>{t("share.allLinks")}</h2>}
      <ListContent
        list={list}
        isEmpty={list.shares.length === 0}
        loadingLabel={t("share.loading")}
        failedTitle={t("share.failed")}
        empty={hasThreads ? [t("share.noneOfChat")] : [t("share.empty"), t("share.emptyHint")]}
      >
        <ShareRows list={list} hasTitles />
      </ListContent>
    </Page>
  );
}

/** A list of threads with its heading; nothing while it is empty. */
function Threads({
  heading,
  list,
  isOwn = false,
}: {
  heading: string;
  list: Loaded & { threads: Thread[] };
  isOwn?: boolean;
}) {
  if (list.threads.length === 0 && list.state !== "failed") return null;
  return (
    <section>
      <h2 className={screenStyles["heading"]}>{heading}</h2>
      <Rows
        list={list}
        rows={list.threads}
        loadingLabel={t("sidebar.loading")}
        failedTitle={t("share.membersFailed")}
      >
        {(thread) => <ThreadRow thread={thread} isOwn={isOwn} />}
      </Rows>
    </section>
  );
}

function ThreadRow({ thread, isOwn }: { thread: Thread; isOwn: boolean }) {
  const title = titleOf(thread);
  const owner = thread.sharing?.owner_name ?? t("share.somebody");
  return (
    <Row
      className={styles["row"]}
      link={{ to: "/t/$threadId", params: { threadId: thread.id } }}
      name={title}
      facts={[!isOwn && t("share.byName", { name: owner }), printDay(new Date(thread.last_message_at))]}
    >
      <RowButtons>
        <Button
          aria-label={t("share.manageNamed", { title })}
          onClick={() => openShareDialog(thread.id, !isOwn)}
        >
          {t("share.manage")}
        </Button>
      </RowButtons>
    </Row>
  );
}
