import type { ReactNode } from "react";
import { Link, useParams } from "@tanstack/react-router";
import { useApp } from "#web/data/console/console.ts";
import { useCan } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { NotFoundScreen } from "../../not-found-screen.tsx";
import { BackLink, Page } from "../../page.tsx";
import { AlertsView } from "../alerts/alerts-view.tsx";
import { AccessView } from "./access-view.tsx";
import { RetentionView } from "./retention-view.tsx";
import { RunView } from "./run-view.tsx";
import { RunsView } from "./runs-view.tsx";
import { ScoresView } from "./scores-view.tsx";
import { ConsoleThreadView } from "./console-thread-view.tsx";
import { ThreadsView } from "./threads-view.tsx";
import { UsageView } from "./usage-view.tsx";
import { UsersView } from "./users-view.tsx";
import { WebhookScreen } from "../webhooks/webhook-screen.tsx";
import { WebhooksView } from "../webhooks/webhooks-view.tsx";
import styles from "./console.module.css";

const views = {
  usage: UsageView,
  threads: ThreadsView,
  users: UsersView,
  runs: RunsView,
  scores: ScoresView,
  access: AccessView,
  retention: RetentionView,
  webhooks: WebhooksView,
  alerts: AlertsView,
};
type ViewName = keyof typeof views;
const viewNames = Object.keys(views) as ViewName[];

/** `/admin/apps/:appId/:view`: one page of an app. With `/:itemId`: a thread or a run. */
export function AppScreen() {
  const { appId = "", view = "", itemId } = useParams({ strict: false });
  if (useCan("apps.manage") !== true) return null;
  if (itemId !== undefined && view === "threads")
    return <ConsoleThreadView key={itemId} appId={appId} threadId={itemId} />;
  if (itemId !== undefined && view === "runs") return <RunView key={itemId} appId={appId} runId={itemId} />;
  if (itemId !== undefined && view === "webhooks")
    return <WebhookScreen key={itemId} appId={appId} webhookId={itemId} />;
  if (itemId !== undefined) return <NotFoundScreen />;
  const name = viewNames.find((each) => each === view);
  if (name === undefined) return <NotFoundScreen />;
  const View = views[name];
  return (
    <AppFrame key={appId} appId={appId}>
      <View key={name} appId={appId} />
    </AppFrame>
  );
}

function AppFrame({ appId, children }: { appId: string; children: ReactNode }) {
  const stored = useApp(appId);
  return (
    <Page
      title={stored.app?.name ?? t("console.app")}
      above={
        <BackLink to="/admin/$page" params={{ page: "apps" }}>
          {t("console.title")}
        </BackLink>
      }
    >
      <ListContent
        list={stored}
        isEmpty={false}
        loadingLabel={t("console.loading")}
        failedTitle={t("console.failedPart")}
      >
        <nav aria-label={t("console.pages")} className={styles["views"]}>
          <ul>
            {viewNames.map((view) => (
              <li key={view}>
                <Link to="/admin/apps/$appId/$view" params={{ appId, view }}>
                  {t(`console.${view}`)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {children}
      </ListContent>
    </Page>
  );
}
