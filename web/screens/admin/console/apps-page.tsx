import { useNavigate } from "@tanstack/react-router";
import { formFields } from "#contract/form-fields.ts";
import { useApps } from "#web/data/console/console.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { AddForm } from "../../form/add-form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";

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
  const navigate = useNavigate();
  const form = useForm({
    first: { name: "" },
    mistakesOf: (values) => mistakesByRules(values, formFields["console.createApp"]),
    async onSave({ name }) {
      const appId = await onCreate(name);
      return () => void navigate({ to: "/admin/apps/$appId/$view", params: { appId, view: "access" } });
    },
  });
  return (
    <AddForm form={form} addLabel={t("console.create")} isOneField>
      <TextField
        label={t("console.newName")}
        dir="auto"
        required
        placeholder={t("console.nameHint")}
        {...form.field("name")}
      />
    </AddForm>
  );
}
