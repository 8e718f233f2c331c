import type { ReactNode } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { PromptRow } from "./prompt-row.tsx";
import styles from "./prompts-screen.module.css";

/** `/prompts`: the texts that the person keeps, and those that everybody can use. `?edit=` is the form of one. */
export function PromptsScreen(): ReactNode {
  const { edit } = useSearch({ strict: false });
  return edit === undefined ? <List /> : <PromptEditor key={edit} id={edit} />;
}

function List() {
  const list = usePrompts();
  const navigate = useNavigate();
  return (
    <Page title={t("screen.prompts")}>
      <p className={styles["about"]}>{t("prompts.about")}</p>
      <ListContent
        list={list}
        isEmpty={list.prompts.length === 0}
        loadingLabel={t("prompts.loading")}
        failedTitle={t("prompts.failed")}
      >
        {list.prompts.length === 0 && <p className={styles["empty"]}>{t("prompts.empty")}</p>}
        <ul className={styles["list"]}>
          {list.prompts.map((prompt) => (
            <PromptRow key={prompt.id} prompt={prompt} mayChange={list.mayShare || !prompt.is_shared} />
          ))}
        </ul>
        <Button icon={Plus} onClick={() => void navigate({ to: "/prompts", search: { edit: "new" } })}>
          {t("prompts.new")}
        </Button>
      </ListContent>
    </Page>
  );
}
