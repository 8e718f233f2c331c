import { type FormEvent, useState } from "react";
import { limits } from "#contract/limits.ts";
import { useApp, useAppKeys } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showOutcome } from "#web/ui/toast.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { TextField } from "../../form/text-field.tsx";
import { KeyList } from "../../keys/key-list.tsx";
import { List } from "../../list.tsx";
import { Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";
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
        nameField={{ placeholder: t("console.keyNameHint"), maxLength: limits.nameCharacters }}
      />
    </section>
  );
}

function Origins({ appId }: { appId: string }) {
  const { app, addOrigin, removeOrigin } = useApp(appId);
  const [origin, setOrigin] = useState("");
  const [isWrong, setWrong] = useState(false);
  if (app === undefined) return null;
  const { origins, origins_for_all: forAll, without_list: withoutList } = app;

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setWrong(!isOrigin(origin));
    if (!isOrigin(origin)) return;
    try {
      await addOrigin(origin.trim());
      setOrigin("");
    } catch (error) {
      showFailure(error);
    }
  }

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
      <form className={styles["oneLine"]} onSubmit={(event) => void add(event)}>
        <TextField
          label={t("console.origin")}
          hint={t("console.originHint")}
          mistake={isWrong ? t("console.noOrigin") : undefined}
          isCode
          maxLength={limits.nameCharacters}
          value={origin}
          onChange={(text) => {
            setOrigin(text);
            setWrong(false);
          }}
        />
        <Button type="submit">{t("console.addOrigin")}</Button>
      </form>
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
