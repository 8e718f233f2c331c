import { formFields } from "#contract/form-fields.ts";
import { limits } from "#contract/limits.ts";
import { useApp, useAppKeys } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { showOutcome } from "#web/ui/toast.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { AddForm } from "../../form/add-form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { KeyList } from "../../keys/key-list.tsx";
import { List } from "../../list.tsx";
import { Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";
import { AnonymousTokens } from "./anonymous-tokens.tsx";
import { JwtRules } from "./jwt-rules.tsx";

/** The keys of an app, the origins whose pages may call it, its anonymous visitors, and the providers whose tokens it accepts. */
export function AccessView({ appId }: { appId: string }) {
  return (
    <>
      <Keys appId={appId} />
      <Origins appId={appId} />
      <AnonymousTokens appId={appId} />
      <JwtRules appId={appId} />
    </>
  );
}

function Keys({ appId }: { appId: string }) {
  const list = useAppKeys(appId);
  return (
    <section aria-labelledby="app-keys">
      <h2 id="app-keys" className={screenStyles["heading"]}>
        {t("keys.title")}
      </h2>
      <p className={screenStyles["about"]}>{t("console.keysAbout")}</p>
      <KeyList
        list={list}
        nameField={{ placeholder: t("console.keyNameHint"), rules: formFields["console.createKey"].name }}
      />
    </section>
  );
}

function Origins({ appId }: { appId: string }) {
  const { app, addOrigin, removeOrigin } = useApp(appId);
  const form = useForm({
    first: { origin: "" },
    mistakesOf: ({ origin }) => (isOrigin(origin) ? {} : { origin: t("console.noOrigin") }),
    async onSave({ origin }) {
      await addOrigin(origin.trim());
      return undefined;
    },
    emptied: ["origin"],
  });
  if (app === undefined) return null;
  const { origins, origins_for_all: forAll, without_list: withoutList } = app;

  return (
    <section aria-labelledby="app-origins">
      <h2 id="app-origins" className={screenStyles["heading"]}>
        {t("console.origins")}
      </h2>
      <p className={screenStyles["about"]}>
        {t("console.originsAbout")}{" "}
        {origins.length === 0 && forAll.length === 0 && t(`console.withoutList.${withoutList}`)}
        {forAll.length > 0 && t("console.originsForAll", { origins: printList(forAll) })}
      </p>
      <AddForm form={form} addLabel={t("console.addOrigin")} look="secondary" isOneField>
        <TextField
          label={t("console.origin")}
          hint={t("console.originHint")}
          isCode
          maxLength={limits.nameCharacters}
          {...form.field("origin")}
        />
      </AddForm>
      {origins.length > 0 && (
        <List>
          {origins.map((each) => (
            <Row key={each} name={each} isCode>
              <Button
                aria-label={t("console.removeNamed", { name: each })}
                onClick={() => showOutcome(removeOrigin(each), t("console.removed"))}
              >
                {t("console.remove")}
              </Button>
            </Row>
          ))}
        </List>
      )}
    </section>
  );
}

/** A scheme and a host, as the server requires it. */
function isOrigin(text: string): boolean {
  return URL.canParse(text.trim()) && /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+\/?$/i.test(text.trim());
}
