// The entry "superstep/testing".
export {
  type FakeAnswer,
  type FakeAnswerFunction,
  FakeChatModel,
  type FakeModelOptions,
  type FakeRequest,
} from "./testing/fake-model.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  type ServerReply,
  type ServerRequest,
  startModelServer,
  type WireFormat,
} from "./testing/model-server.ts";
export type { WireAnswer } from "./testing/wire.ts";
