import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { limits } from "#contract/limits.ts";
import { useApps } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { TextField } from "../../form/text-field.tsx";
import { useSubmit } from "../../form/use-submit.ts";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";

/** `/admin/apps`: the list of apps. */
export function AppsPage() {
  const list = useApps();
  return (
    <Page title={t("console.title")}>
      <p className={screenStyles["about"]}>{t("console.about")}</p>
      <NewApp onCreate={list.create} />
      <Rows
        list={list}
        rows={list.apps}
        loadingLabel={t("console.loading")}
        failedTitle={t("console.failed")}
      >
        {({ id, name, active_keys: keys, created_at: createdAt }) => (
          <Row
            link={{ to: "/admin/apps/$appId/$view", params: { appId: id, view: "usage" } }}
            name={name}
            facts={[
              t("console.keyCount", { count: keys }),
              t("console.created", { day: printDay(new Date(createdAt)) }),
            ]}
          />
        )}
      </Rows>
    </Page>
  );
}

function NewApp({ onCreate }: { onCreate(name: string): Promise<string> }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const { isSending, submit } = useSubmit(async () => {
    const appId = await onCreate(name);
    await navigate({ to: "/admin/apps/$appId/$view", params: { appId, view: "access" } });
  });
  return (
    <form className={styles["oneLine"]} onSubmit={submit}>
      <TextField
        label={t("console.newName")}
        dir="auto"
        required
        pattern=".*\S.*"
        placeholder={t("console.nameHint")}
        maxLength={limits.nameCharacters}
        value={name}
        onChange={setName}
      />
      <Button type="submit" look="strong" disabled={isSending}>
        {t("console.create")}
      </Button>
    </form>
  );
}
