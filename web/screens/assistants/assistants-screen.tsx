import { idAtProvider } from "#contract/ids.ts";
import { useNavigate } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { AssistantRow } from "./assistant-row.tsx";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { List } from "../list.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import screenStyles from "../screen.module.css";
import { useArea } from "./use-area.ts";
import styles from "./assistants-screen.module.css";

/** `/settings/assistants` and `/admin/assistants`: the list of assistants, which administrators can change. */
export function AssistantsScreen() {
  return (
    <Page title={t("assistants.title")}>
      <Assistants />
    </Page>
  );
}

function Assistants() {
  const list = useAssistants();
  const { assistants, mayChange } = list;
  const { models, state: modelState } = useModels();
  const navigate = useNavigate();
  const area = useArea();
  const isUnconnected = modelState === "ready" && models.length <= 1;
  return (
    <ListContent
      list={list}
      isEmpty={false}
      loadingLabel={t("assistants.loading")}
      failedTitle={t("assistants.failed")}
    >
      <p className={screenStyles["about"]}>{t(mayChange ? "assistants.about" : "assistants.aboutOthers")}</p>
      {mayChange && isUnconnected && <p className={styles["warning"]}>{t("assistants.noModel")}</p>}
      <List>
        {assistants.map((assistant) => (
          <AssistantRow
            key={assistant.id}
            assistant={assistant}
            model={modelNameOf(assistant, models)}
            mayChange={mayChange}
            all={assistants}
          />
        ))}
      </List>
      {mayChange && (
        <Button
          icon={Plus}
          onClick={() =>
            void navigate({ to: `${area}/assistants/$assistantId`, params: { assistantId: "new" } })
          }
        >
          {t("assistants.new")}
        </Button>
      )}
      {mayChange && assistants.length === 1 && <p className={styles["empty"]}>{t("assistants.empty")}</p>}
    </ListContent>
  );
}

function modelNameOf(
  { model }: Assistant,
  models: readonly { id: string; name: string }[],
): string | undefined {
  if (model === null) return undefined;
  return (
    models.find(({ id }) => id === model)?.name ?? t("assistant.modelGone", { name: idAtProvider(model) })
  );
}
