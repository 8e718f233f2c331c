import type { BodyInputOf } from "#contract/api.ts";
import type { ToolServer } from "#contract/tool-servers/endpoints.ts";
import { formFields } from "#contract/form-fields.ts";
import { useGroups } from "#web/data/admin/groups.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { Form } from "../form/form.tsx";
import { SelectField } from "../form/select-field.tsx";
import { TextField } from "../form/text-field.tsx";
import { useForm } from "../form/use-form.ts";
import screenStyles from "../screen.module.css";

const entrances = ["kept", "none", "key", "header", "client"] as const;
type Entrance = (typeof entrances)[number];

type Values = {
  name: string;
  url: string;
  transport: "http" | "sse";
  entrance: Entrance;
  headerName: string;
  secret: string;
  clientId: string;
  groups: string[] | null;
  trustsHints: boolean;
};

type Body = BodyInputOf<"toolServers.create">;

/** The form of a tool server. `first`: what a new one begins with. */
export function ToolServerForm({
  stored,
  first,
  isShared,
  onSave,
  onCancel,
}: {
  stored?: ToolServer | undefined;
  first?: { name: string; url: string; entrance: Entrance } | undefined;
  isShared: boolean;
  onSave(body: Body): Promise<() => void>;
  onCancel(): void;
}) {
  const hasEntrance = stored !== undefined && (stored.header_names.length > 0 || stored.client_id !== null);
  const form = useForm<Values>({
    first: {
      name: stored?.name ?? first?.name ?? "",
      url: stored?.url ?? first?.url ?? "",
      transport: stored?.transport === "sse" ? "sse" : "http",
      entrance: hasEntrance ? "kept" : (first?.entrance ?? "none"),
      headerName: "",
      secret: "",
      clientId: "",
      groups: stored?.group_ids ?? null,
      trustsHints: stored?.trusts_hints ?? false,
    },
    mistakesOf: (values) => mistakesOf(values),
    onSave: async (values) => await onSave(bodyOf(values, { isShared, hasEntrance })),
  });
  const { entrance, groups } = form.values;
  const shown = entrances.filter((each) => each !== "kept" || hasEntrance);
  return (
    <Form
      form={form}
      saveLabel={t(stored === undefined ? "toolServers.add" : "action.save")}
      onCancel={onCancel}
    >
      <TextField
        label={t("toolServers.name")}
        hint={t("toolServers.nameHint")}
        required
        maxLength={formFields["toolServers.create"].name.max}
        {...form.field("name")}
      />
      <TextField
        label={t("toolServers.url")}
        isCode
        required
        maxLength={formFields["toolServers.create"].url.max}
        {...form.field("url")}
      />
      <SelectField
        label={t("toolServers.transport")}
        options={[
          ["http", t("toolServers.http")],
          ["sse", t("toolServers.sse")],
        ]}
        {...form.field("transport")}
      />
      <SelectField
        label={t("toolServers.entrance")}
        hint={t(`toolServerHint.${entrance}`)}
        options={shown.map((each) => [each, t(`toolServerEntrance.${each}`)] as const)}
        {...form.field("entrance")}
      />
      {entrance === "header" && (
        <TextField label={t("toolServers.headerName")} isCode required {...form.field("headerName")} />
      )}
      {entrance === "client" && (
        <TextField label={t("toolServers.clientId")} isCode required {...form.field("clientId")} />
      )}
      {(entrance === "key" || entrance === "header" || entrance === "client") && (
        <TextField
          label={t(entrance === "client" ? "toolServers.clientSecret" : "toolServers.key")}
          type="password"
          isCode
          required={entrance !== "client"}
          {...form.field("secret")}
        />
      )}
      {isShared && (
        <>
          <GroupsField groups={groups} onChange={(next) => form.change({ groups: next })} />
          <CheckField
            label={t("toolServers.trustsHints")}
            hint={t("toolServers.trustsHintsHint")}
            {...form.checkbox("trustsHints")}
          />
        </>
      )}
    </Form>
  );
}

/** Whether everybody gets it, or which groups. */
function GroupsField({
  groups,
  onChange,
}: {
  groups: string[] | null;
  onChange(groups: string[] | null): void;
}) {
  const list = useGroups("");
  if (list.groups.length === 0 && groups === null) return null;
  return (
    <>
      <SelectField
        label={t("toolServers.who")}
        value={groups === null ? "everybody" : "groups"}
        options={[
          ["everybody", t("toolServers.everybody")],
          ["groups", t("toolServers.someGroups")],
        ]}
        onChange={(who) => onChange(who === "everybody" ? null : [])}
      />
      {groups !== null && (
        <div className={screenStyles["checks"]}>
          {list.groups.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={groups.includes(id)}
              onChange={(isChosen) =>
                onChange(isChosen ? [...groups, id] : groups.filter((each) => each !== id))
              }
            />
          ))}
        </div>
      )}
    </>
  );
}

function mistakesOf({ name, url, entrance, headerName, secret, clientId }: Values) {
  return {
    ...(name.trim() === "" ? { name: t("toolServers.noName") } : {}),
    ...(/^https?:\/\/\S+$/i.test(url.trim()) ? {} : { url: t("toolServers.noUrl") }),
    ...(entrance === "header" && headerName.trim() === "" ? { headerName: t("toolServers.noHeader") } : {}),
    ...(entrance === "client" && clientId.trim() === "" ? { clientId: t("toolServers.noClient") } : {}),
    ...((entrance === "key" || entrance === "header") && secret.trim() === ""
      ? { secret: t("toolServers.noKey") }
      : {}),
  };
}

function bodyOf(
  { name, url, transport, entrance, headerName, secret, clientId, groups, trustsHints }: Values,
  { isShared, hasEntrance }: { isShared: boolean; hasEntrance: boolean },
): Body {
  const value = secret.trim();
  const entered: Partial<Record<Entrance, Pick<Body, "headers" | "client">>> = {
    key: { headers: [{ name: "Authorization", value: `Bearer ${value}` }] },
    header: { headers: [{ name: headerName.trim(), value }] },
    client: { headers: [], client: { id: clientId.trim(), ...(value === "" ? {} : { secret: value }) } },
    ...(hasEntrance ? { none: { headers: [], client: null as never } } : {}),
  };
  return {
    name: name.trim(),
    url: url.trim(),
    transport,
    ...entered[entrance],
    ...(isShared ? { group_ids: groups, trusts_hints: trustsHints } : {}),
  };
}
