import { Link } from "@tanstack/react-router";
import { useAppMessages } from "#web/data/console/console.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../../list-content.tsx";
import { BackLink, Page } from "../../page.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";
import { MessageList } from "./console-messages.tsx";

/** A thread of an app. */
export function ConsoleThreadView({ appId, threadId }: { appId: string; threadId: string }) {
  const list = useAppMessages(appId, threadId);
  return (
    <Page
      title={t("console.thread")}
      above={
        <BackLink to="/admin/apps/$appId/$view" params={{ appId, view: "threads" }}>
          {t("console.threads")}
        </BackLink>
      }
    >
      <p className={screenStyles["about"]}>
        <bdi dir="ltr">{threadId}</bdi>{" "}
        <Link
          to="/admin/apps/$appId/$view"
          params={{ appId, view: "runs" }}
          search={{ thread: threadId }}
          className={styles["inText"]}
        >
          {t("console.runsOfThread")}
        </Link>
      </p>
      <ListContent
        list={list}
        isEmpty={list.messages.length === 0}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t("console.noMessages"), t("console.noMessagesHint")]}
      >
        <MoreButton list={list} />
        <MessageList messages={list.messages} />
      </ListContent>
    </Page>
  );
}
