import { create, createFileRegistry, fromBinary, toBinary, type DescMessage } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

/**
 * The fields of OTLP's protobuf messages (opentelemetry-proto 1.x, trace service) that a receiver of traces reads, with
 * the protocol's numbers and types. Protobuf ignores other fields.
 */
type FieldOf = [number: number, type: keyof typeof Type | `.otlp.${string}`, many?: "many"];

const messages: Record<string, Record<string, FieldOf>> = {
  AnyValue: {
    stringValue: [1, "STRING"],
    boolValue: [2, "BOOL"],
    intValue: [3, "INT64"],
    doubleValue: [4, "DOUBLE"],
    arrayValue: [5, ".otlp.ArrayValue"],
    kvlistValue: [6, ".otlp.KeyValueList"],
    bytesValue: [7, "BYTES"],
  },
  ArrayValue: { values: [1, ".otlp.AnyValue", "many"] },
  KeyValueList: { values: [1, ".otlp.KeyValue", "many"] },
  KeyValue: { key: [1, "STRING"], value: [2, ".otlp.AnyValue"] },
  Resource: { attributes: [1, ".otlp.KeyValue", "many"] },
  Status: { message: [2, "STRING"], code: [3, "INT32"] },
  Span: {
    traceId: [1, "BYTES"],
    spanId: [2, "BYTES"],
    parentSpanId: [4, "BYTES"],
    name: [5, "STRING"],
    startTimeUnixNano: [7, "FIXED64"],
    endTimeUnixNano: [8, "FIXED64"],
    attributes: [9, ".otlp.KeyValue", "many"],
    status: [15, ".otlp.Status"],
  },
  ScopeSpans: { spans: [2, ".otlp.Span", "many"] },
  ResourceSpans: { resource: [1, ".otlp.Resource"], scopeSpans: [2, ".otlp.ScopeSpans", "many"] },
  ExportRequest: { resourceSpans: [1, ".otlp.ResourceSpans", "many"] },
  PartialSuccess: { rejectedSpans: [1, "INT64"], errorMessage: [2, "STRING"] },
  ExportResponse: { partialSuccess: [1, ".otlp.PartialSuccess"] },
};

/** The messages whose fields are a protobuf `oneof`, and its name. */
const oneOf: Record<string, string> = { AnyValue: "value" };

const registry = createFileRegistry(
  create(FileDescriptorSetSchema, {
    file: [
      {
        name: "otlp.proto",
        package: "otlp",
        syntax: "proto3",
        messageType: Object.entries(messages).map(([name, fields]) => ({
          name,
          oneofDecl: oneOf[name] === undefined ? [] : [{ name: oneOf[name] }],
          field: Object.entries(fields).map(([field, [number, type, many]]) => ({
            name: field,
            jsonName: field,
            number,
            label: many === undefined ? Label.OPTIONAL : Label.REPEATED,
            ...(type.startsWith(".")
              ? { type: Type.MESSAGE, typeName: type }
              : { type: Type[type as keyof typeof Type] }),
            ...(oneOf[name] === undefined ? {} : { oneofIndex: 0 }),
          })),
        })),
      },
    ],
  }),
);

function message(name: string): DescMessage {
  return registry.getMessage(`otlp.${name}`)!;
}

const request = message("ExportRequest");
const response = message("ExportResponse");

/** Decodes an export: fields by name, ids as bytes, large numbers as bigint. Throws if the bytes are not an export. */
export function readExport(bytes: Uint8Array): unknown {
  return fromBinary(request, bytes, { readUnknownFields: false });
}

/** Encodes the response: `partial` if some spans were rejected. Empty if all were accepted. */
export function writeResponse(
  partial: { rejectedSpans: number; errorMessage: string } | undefined,
): Uint8Array {
  if (partial === undefined) return new Uint8Array();
  const partialSuccess = create(message("PartialSuccess"), {
    rejectedSpans: BigInt(partial.rejectedSpans),
    errorMessage: partial.errorMessage,
  });
  return toBinary(response, create(response, { partialSuccess }));
}
