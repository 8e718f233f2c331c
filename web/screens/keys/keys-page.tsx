import { formFields } from "#contract/form-fields.ts";
import { programsUrl, usePersonalKeys } from "#web/data/session/personal-keys.ts";
import { Button } from "#web/ui/button.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import screenStyles from "../screen.module.css";
import styles from "./keys-page.module.css";
import { Field, fieldStyles } from "../form/field.tsx";
import { Page } from "../page.tsx";
import { KeyList } from "./key-list.tsx";

/** `/settings/keys`: keys with which editors and scripts use the models of this server. */
export function KeysPage() {
  const list = usePersonalKeys();
  return (
    <Page title={t("keys.title")}>
      <p className={screenStyles["about"]}>{t("keys.about")}</p>
      <BaseUrl />
      <KeyList
        list={list}
        nameField={{ placeholder: t("keys.nameHint"), rules: formFields["keys.create"].name }}
      />
    </Page>
  );
}

function BaseUrl() {
  const { isCopied, copy } = useCopied();
  const url = programsUrl();
  return (
    <div className={styles["copied"]}>
      <Field label={t("keys.baseUrl")}>
        {(props) => (
          <input
            {...props}
            readOnly
            dir="ltr"
            value={url}
            className={fieldStyles["input"]}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <Button onClick={() => copy(url)}>{t(isCopied ? "action.copied" : "action.copy")}</Button>
    </div>
  );
}
