import { Controller, Delete, Get, Module } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { partOf, type PartOptions } from '.';

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
