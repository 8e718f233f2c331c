import { Link, useNavigate } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { AssistantRow } from "#web/screens/assistants/assistant-row.tsx";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { Button } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../loading-rows.tsx";
import { Page } from "../page.tsx";
import styles from "./assistants-screen.module.css";

/** `/settings/assistants`: the list of assistants, which the owner can change. */
export function AssistantsScreen() {
  return (
    <Page title={t("assistants.title")} above={<Link to="/settings">{t("screen.settings")}</Link>}>
      <List />
    </Page>
  );
}

function List() {
  const { assistants, mayChange, state, failure, retry } = useAssistants();
  const { models, state: modelState } = useModels();
  const navigate = useNavigate();
  if (state === "loading") return <LoadingRows label={t("assistants.loading")} />;
  if (state === "failed") {
    return (
      <Notice
        tone="loss"
        title={t("assistants.failed")}
        text={failure?.message}
        action={{ label: t("action.retry"), run: retry }}
      />
    );
  }
  const isUnconnected = modelState === "ready" && models.length <= 1;
  return (
    <>
      <p className={styles["about"]}>{t(mayChange ? "assistants.about" : "assistants.aboutOthers")}</p>
      {mayChange && isUnconnected && <p className={styles["warning"]}>{t("assistants.noModel")}</p>}
      <ul className={styles["list"]}>
        {assistants.map((assistant, index) => (
          <AssistantRow
            key={assistant.id}
            assistant={assistant}
            model={modelNameOf(assistant, models)}
            mayChange={mayChange}
            all={assistants}
            index={index}
          />
        ))}
      </ul>
      {mayChange && (
        <Button icon={Plus} onClick={() => void navigate({ to: "/settings/assistants/new" })}>
          {t("assistants.new")}
        </Button>
      )}
      {mayChange && assistants.length === 1 && <p className={styles["empty"]}>{t("assistants.empty")}</p>}
    </>
  );
}

function modelNameOf(
  { model }: Assistant,
  models: readonly { id: string; name: string }[],
): string | undefined {
  if (model === null) return undefined;
  return models.find(({ id }) => id === model)?.name ?? t("assistant.modelGone", { name: model });
}
