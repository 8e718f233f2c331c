import { grantedPermissions } from "#contract/accounts/permissions.ts";
import type { Rights } from "#contract/accounts/rights.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { useAssistants, useTools } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { AllowedField } from "./allowed-field.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./rights-fields.module.css";

/** What somebody may use. Guests share no links and have no keys. */
export function RightsFields({
  rights,
  isForGuests = false,
  onChange,
}: {
  rights: Rights;
  isForGuests?: boolean;
  onChange(rights: Rights): void;
}) {
  const { models } = useModels();
  const { assistants } = useAssistants();
  const { tools } = useTools();
  const change = (next: Partial<Rights>) => onChange({ ...rights, ...next });
  return (
    <div className={styles["form"]}>
      <AllowedField
        legend={t("rights.models")}
        allLabel={t("rights.modelsAll")}
        someLabel={t("rights.modelsSome")}
        noneLabel={t("rights.modelsNone")}
        otherLabel={t("rights.modelsOther")}
        allowed={rights.models}
        options={models.map(({ id, name }) => ({ id, name, ...(name === id ? {} : { note: id }) }))}
        onChange={(list) => change({ models: list })}
      />
      <AllowedField
        legend={t("rights.assistants")}
        allLabel={t("rights.assistantsAll")}
        someLabel={t("rights.assistantsSome")}
        noneLabel={t("rights.assistantsNone")}
        allowed={rights.assistants}
        options={assistants
          .filter(({ id }) => id !== defaultAssistantId)
          .map(({ id, name }) => ({ id, name }))}
        onChange={(list) => change({ assistants: list })}
      />
      <AllowedField
        legend={t("rights.tools")}
        allLabel={t("rights.toolsAll")}
        someLabel={t("rights.toolsSome")}
        noneLabel={t("rights.toolsNone")}
        allowed={rights.tools}
        options={tools.map(({ name }) => ({ id: name, name }))}
        onChange={(list) => change({ tools: list })}
      />
      <div role="group" aria-label={t("rights.permissions")} className={screenStyles["checks"]}>
        {grantedPermissions
          .filter((permission) => !isForGuests || permission === "files.upload")
          .map((permission) => (
            <CheckField
              key={permission}
              label={t(`rights.${permission}`)}
              hint={t(`rightsHint.${permission}`)}
              checked={rights.permissions.includes(permission)}
              onChange={(isOn) =>
                change({
                  permissions: grantedPermissions.filter((each) =>
                    each === permission ? isOn : rights.permissions.includes(each),
                  ),
                })
              }
            />
          ))}
      </div>
    </div>
  );
}
