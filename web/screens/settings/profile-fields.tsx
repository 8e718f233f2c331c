import { useState } from "react";
import { defaultAssistantId } from "#contract/ids.ts";
import type { Profile } from "#contract/endpoints/auth.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useProfile } from "#web/data/session/profile.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";

/** What new chats begin with, and the time zone, on every device of this person. Guests have none of it. */
export function ProfileFields() {
  const { profile, update } = useProfile();
  const { assistants, state: assistantState } = useAssistants();
  const { models, state: modelState } = useModels();
  if (profile === null) return null;
  const save = async (change: Parameters<typeof update>[0]) => await update(change).catch(showFailure);
  return (
    <>
      <SelectField
        label={t("profile.assistant")}
        hint={t("profile.assistantHint")}
        value={profile.default_assistant_id}
        nothing={t("profile.serverDefault")}
        options={assistants
          .filter(({ id }) => id !== defaultAssistantId)
          .map(({ id, name }) => ({ value: id, label: name }))}
        isLoaded={assistantState === "ready"}
        onChange={(id) => save({ default_assistant_id: id })}
      />
      <SelectField
        label={t("profile.model")}
        hint={t("profile.modelHint")}
        value={profile.default_model}
        nothing={t("profile.lastModel")}
        options={models.map(({ id, name }) => ({ value: id, label: name }))}
        isLoaded={modelState === "ready"}
        onChange={(id) => save({ default_model: id })}
      />
      <SelectField
        label={t("profile.timeZone")}
        hint={t("profile.timeZoneHint")}
        value={profile.time_zone}
        nothing={t("profile.deviceTimeZone")}
        // Browsers list different names of the same zones.
        options={[...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", profile.time_zone ?? "UTC"])]
          .toSorted()
          .map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }))}
        isLoaded
        onChange={(zone) => save({ time_zone: zone })}
      />
    </>
  );
}

/** `nothing`: the option for null. A value that is no longer offered stays, marked as missing. */
function SelectField({
  label,
  hint,
  value,
  nothing,
  options,
  isLoaded,
  onChange,
}: {
  label: string;
  hint: string;
  value: Profile["default_model"];
  nothing: string;
  options: { value: string; label: string }[];
  /** Whether the options are complete. */
  isLoaded: boolean;
  /** Ends when the choice is saved, or was not. */
  onChange(value: string | null): Promise<void>;
}) {
  // While a slow network saves it, the choice stays on the screen.
  const [pending, setPending] = useState<{ value: string | null }>();
  const shown = pending === undefined ? value : pending.value;
  const isMissing = value !== null && !options.some((option) => option.value === value);
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <select
          {...props}
          value={shown ?? ""}
          disabled={!isLoaded}
          className={fieldStyles["input"]}
          onChange={({ currentTarget }) => {
            const chosen = { value: currentTarget.value === "" ? null : currentTarget.value };
            setPending(chosen);
            void onChange(chosen.value).finally(() =>
              setPending((now) => (now === chosen ? undefined : now)),
            );
          }}
        >
          <option value="">{nothing}</option>
          {isMissing && (
            <option value={value}>{isLoaded ? t("profile.missing", { name: value }) : value}</option>
          )}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
