import { Body, Controller, Delete, Get, Module, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOperation,
  ApiProduces,
  ApiProperty,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { partOf, refusalExample, SharedAnswer, type PartOptions, type Route } from '.';

class OrderBody {
  @IsString() article!: string;
  @IsInt() @Min(1) @Max(9) count!: number;
}

class OrderView {
  @IsString() orderId!: string;
}

class Refusal {
  @IsString() error!: string;
}

class Unused {
  @IsString() nothing!: string;
}

class StockView {
  @ApiProperty({ type: 'integer', nullable: true }) left!: number | null;
}

@Controller('v1/orders')
class OrdersController {
  constructor() {
    throw new Error('nothing is started');
  }

  @Post()
  @ApiOperation({ operationId: 'placeOrder', summary: 'Places an order', description: 'Once.' })
  @ApiBody({ type: OrderBody })
  @ApiResponse({ status: 201, type: OrderView, description: 'The order' })
  @ApiResponse({ status: 429, type: Refusal, description: '`rate_limited`' })
  place(@Body() body: OrderBody): OrderView {
    return { orderId: body.article };
  }

  @Get('stock')
  @ApiOperation({ operationId: 'readStock', summary: 'Reads the stock', description: 'As it is now.' })
  @ApiProduces('text/csv')
  @ApiResponse({ status: 200, type: StockView })
  @ApiResponse({ status: 400, type: Refusal, description: 'bad' })
  @ApiNoContentResponse()
  stock(): StockView {
    return { left: null };
  }

  @Get('page')
  page(): string {
    return '';
  }
}

@ApiTags('Refunds')
@Controller('v1/refunds')
class RefundsController {
  @Delete(':id')
  @ApiOperation({ operationId: 'cancelRefund', summary: 'Cancels it', description: 'Once.' })
  @ApiResponse({ status: 200, type: StockView, description: 'It is', examples: { own: { summary: 'o', value: 1 } } })
  @SharedAnswer(429, 'Limited')
  cancel(): void {
    throw new Error('nothing is started');
  }
}

@Module({ controllers: [OrdersController] })
class ShopModule {}

@Module({ imports: [ShopModule], controllers: [RefundsController] })
class ShopWithRefundsModule {}

const page = {
  get: { operationId: 'openPage', summary: 'A page', description: 'By hand.', tags: [], security: [], responses: {} },
};
const part = (over: Partial<PartOptions> = {}, module: new () => object = ShopModule) =>
  partOf(module, {
    info: { title: 'Shop', version: '1.0.0' },
    tags: [{ name: 'Orders' }],
    contracts: { bodies: [OrderBody], answers: [OrderView, Refusal] },
    examples: ({ method, operation }: Route) => ({
      200: operation.operationId === 'cancelRefund' ? { value: 'not shown' } : undefined!,
      201: { value: { orderId: operation.operationId } },
      400: refusalExample({ error: 'bad', message: method, details: undefined }, { path: '/v1/orders/stock?x=1' }),
      429: refusalExample({ error: 'rate_limited', message: 'Too many.' }),
    }),
    description: 'What was asked for',
    pages: { '/v1/orders/page': page },
    ...over,
  });

describe('the part of the OpenAPI document that an app has', () => {
  it('names the routes of its controllers, of any method, and pages last', async () => {
    const { openapi, info, tags, paths } = await part();
    expect([openapi, info, tags]).toEqual(['3.1.0', { title: 'Shop', version: '1.0.0' }, [{ name: 'Orders' }]]);
    const routes = Object.entries(paths).map(([path, operations]) => [path, ...Object.keys(operations)]);
    expect(routes).toEqual([
      ['/v1/orders', 'post'],
      ['/v1/orders/stock', 'get'],
      ['/v1/orders/page', 'get'],
    ]);
    expect(paths['/v1/orders/page']).toEqual(page);
  });

  it('has the schemas of contract classes as their rules say', async () => {
    const { OrderBody: body, OrderView: view } = (await part()).components!.schemas!;
    expect(body).toMatchObject({
      required: ['article', 'count'],
      properties: { article: { type: 'string' }, count: { type: 'integer', minimum: 1, maximum: 9 } },
      additionalProperties: false,
    });
    expect(view).toMatchObject({ required: ['orderId'], properties: { orderId: { type: 'string' } } });
    expect(view).not.toHaveProperty('additionalProperties', false);
  });

  it('has only the contracts to which something refers', async () => {
    const { components } = await part({ contracts: { bodies: [OrderBody], answers: [Refusal, Unused] } });
    expect(Object.keys(components!.schemas!).slice(0, 2)).toEqual(['OrderBody', 'Refusal']);
    expect(components!.schemas).not.toHaveProperty('Unused');
  });

  it('shows what is answered, refusals as JSON whatever a success is', async () => {
    const { paths } = await part();
    const { requestBody, responses } = paths['/v1/orders']!.post!;
    expect(requestBody!.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/OrderBody' } },
    });
    expect(responses).toMatchObject({
      201: { content: { 'application/json': { examples: { recorded: { value: { orderId: 'placeOrder' } } } } } },
      429: { content: { 'application/json': { examples: { recorded: { value: { error: 'rate_limited' } } } } } },
    });
    const stock = paths['/v1/orders/stock']!.get!.responses;
    expect(stock).toEqual({
      200: {
        description: 'What was asked for',
        content: { 'text/csv': { schema: { $ref: '#/components/schemas/StockView' } } },
      },
      204: { description: 'What was asked for' },
      400: {
        description: 'bad',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Refusal' },
            examples: {
              recorded: { value: { error: 'bad', message: 'get' }, 'x-request': { path: '/v1/orders/stock?x=1' } },
            },
          },
        },
      },
    });
  });

  it('speaks OpenAPI 3.1: null is a type', async () => {
    const { StockView: stock } = (await part()).components!.schemas!;
    expect(stock).toMatchObject({ properties: { left: { type: ['integer', 'null'] } } });
  });

  it('has tags of which only their name is known', async () => {
    const { paths, tags } = await part({}, ShopWithRefundsModule);
    expect(paths['/v1/refunds/{id}']).toMatchObject({ delete: { operationId: 'cancelRefund' } });
    expect(tags).toEqual([{ name: 'Orders' }, { name: 'Refunds', description: 'Operations of Refunds.' }]);
    expect((await part()).tags).toEqual([{ name: 'Orders' }]);
  });

  it('refers to answers that operations share, and keeps the examples of a decorator', async () => {
    const Limited = { description: 'Too many', headers: {} };
    const { paths, components } = await part({ components: { responses: { Limited } } }, ShopWithRefundsModule);
    expect(components!.responses).toEqual({ Limited });
    expect(paths['/v1/refunds/{id}']!.delete!.responses).toEqual({
      200: {
        description: 'It is',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/StockView' },
            examples: { own: { summary: 'o', value: 1 } },
          },
        },
      },
      429: { $ref: '#/components/responses/Limited' },
    });
  });
});

describe('two classes of one name', () => {
  const described = () => {
    class DeletionView {
      @ApiProperty() id!: string;
    }
    return DeletionView;
  };
  const contract = () => {
    class DeletionView {
      @IsString() id!: string;
    }
    return DeletionView;
  };
  const Known = described();

  class ChangesView {
    @ApiProperty({ type: [Known] }) deleted!: object[];
  }

  function moduleAnswering(type: new () => object): new () => object {
    @Controller('v1/changes')
    class ChangesController {
      @Get()
      @ApiResponse({ status: 200, type: ChangesView })
      list(): void {}

      @Delete()
      @ApiResponse({ status: 202, type })
      delete(): void {}
    }
    @Module({ controllers: [ChangesController] })
    class ChangesModule {}
    return ChangesModule;
  }

  const written = (type: new () => object, answers: PartOptions['contracts']) => {
    const options = { info: { title: 'Shop', version: '1' }, tags: [], examples: () => ({}), description: '' };
    return partOf(moduleAnswering(type), { ...options, contracts: answers });
  };

  it.each([
    ['of members that decorators describe', described(), undefined],
    ['of a contract', Known, { bodies: [], answers: [contract()] }],
  ])('stop the writing: one would have the schema of the other (%s)', async (_, type, contracts) => {
    await expect(written(type, contracts)).rejects.toThrow(
      'two classes of the OpenAPI document have the name DeletionView',
    );
  });

  it('are not one class in two answers', async () => {
    await expect(written(Known, undefined)).resolves.toHaveProperty('components.schemas.DeletionView');
  });
});
