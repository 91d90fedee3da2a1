import { type OutputUnit, Validator } from "@cfworker/json-schema";
import {
  type CustomValidator,
  type ErrorTransformer,
  type FormContextType,
  type RJSFSchema,
  type RJSFValidationError,
  type StrictRJSFSchema,
  toErrorSchema,
  type UiSchema,
  type ValidationData,
  type ValidatorType,
} from "@rjsf/utils";

/**
 * Interprets the schema: third-party plugins have their own, so validators cannot be compiled with the
 * interface, and the page's policy forbids compiling here.
 */
class InterpretingValidator<T, S extends StrictRJSFSchema, F extends FormContextType>
  implements ValidatorType<T, S, F>
{
  readonly #cached = new WeakMap<object, Validator>();

  reset(): void {}

  isValid(schema: S, formData: T | undefined, rootSchema: S): boolean {
    const whole = { ...rootSchema, ...schema } as object;
    return new Validator(whole as never, "7", true).validate(formData).valid;
  }

  rawValidation<Result = OutputUnit>(
    schema: S,
    formData?: T,
  ): { errors?: Result[]; validationError?: Error } {
    const { errors } = this.#of(schema).validate(formData);
    return { errors: errors as Result[] };
  }

  validateFormData(
    formData: T | undefined,
    schema: S,
    _custom?: CustomValidator<T, S, F>,
    transform?: ErrorTransformer<T, S, F>,
    uiSchema?: UiSchema<T, S, F>,
  ): ValidationData<T> {
    const { errors = [] } = this.rawValidation<OutputUnit>(schema, formData);
    const all = errors.map(shown);
    const told = transform ? transform(all, uiSchema) : all;
    return { errors: told, errorSchema: toErrorSchema<T>(told) };
  }

  #of(schema: S): Validator {
    const known = this.#cached.get(schema as object);
    if (known) return known;
    const made = new Validator(schema as never, "7", false);
    this.#cached.set(schema as object, made);
    return made;
  }
}

function shown({ keyword, error, instanceLocation }: OutputUnit): RJSFValidationError {
  const property = instanceLocation.replace(/^#/, "").replaceAll("/", ".");
  return { name: keyword, message: error, property, stack: `${property} ${error}`, params: {} };
}

const validator: ValidatorType<unknown, RJSFSchema, FormContextType> = new InterpretingValidator();

export default validator;
